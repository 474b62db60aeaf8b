# SPDX-License-Identifier: Apache-2.0
"""The committed results' page and a leaderboard as people see them: phone, desk, light, dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import leaderboard, report
from tests.browser import PROGRAM, Browser
from tests.reports.made_reviews import hand_in_bundle

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium on PATH to open the page in"),
    pytest.mark.skipif(not list(RESULTS.glob("*.jsonl")), reason="no results are committed"),
]
PHONE, DESK = 390, 1280
SCHEMES = ("light", "dark")
SMALLEST = 9  # pixels: the height of a text's box in a plot, on a phone

DRAWN = """[...document.querySelectorAll("svg")].map(svg => {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll("use, path[style*='--first'], path[style*='--second']")]
    .filter(one => one.getBoundingClientRect().width + one.getBoundingClientRect().height > 2);
  const text = [...svg.querySelectorAll("text")].map(one => one.getBoundingClientRect().height);
  return {name: svg.getAttribute("aria-label"), width: box.width, height: box.height,
          marks: marks.length, text: Math.min(...text)};
})"""
OUTSIDE = """[...document.querySelectorAll("svg")].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(one => {
    const own = one.getBoundingClientRect();
    return own.left < box.left - 1 || own.right > box.right + 1 || own.bottom > box.bottom + 1;
  }).map(one => svg.getAttribute("aria-label") + ": " + one.textContent);
})"""
CONTRAST = """(() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(one => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
  };
  const all = "svg text, p, li, th, td, caption, h1, h2, a, summary";
  const texts = [...document.querySelectorAll(all)];
  return texts.map(one => {
    const style = getComputedStyle(one), inside = one.namespaceURI.endsWith("svg");
    const pair = [light(inside ? style.fill : style.color), light(behind(one))].sort();
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  }).reduce((a, b) => Math.min(a, b));
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in ("report", "leaderboard")}
    assert report.main([f"--html={found['report']}"]) == 0
    bundles = tmp_path_factory.mktemp("bundles")
    for number, name in enumerate("abc"):
        hand_in_bundle(bundles / name, number + 1.0, number + 1.2, number + 1.4)
    hand_in_bundle(bundles / "d", 1.0, 1.0, 1.0, verdict="REJECTED")
    assert leaderboard.main([str(bundles), f"--html={found['leaderboard']}"]) == 0
    return found


@pytest.fixture
def page(pages):
    return pages["report"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(
    params=[(n, w, s) for n in ("report", "leaderboard") for w in (PHONE, DESK) for s in SCHEMES],
    ids=str,
)
def opened(request, browser, pages):
    name, width, scheme = request.param
    browser.open(pages[name], width, scheme)
    browser.page, browser.width = pages[name], width
    return browser


def test_nothing_is_complained_of_and_no_request_leaves_the_page(opened):
    assert opened.complaints() == []
    assert opened.requests() == [opened.page.as_uri()]


def test_every_plot_is_drawn_and_can_be_read(opened):
    plots = opened.value(DRAWN)
    assert len(plots) == opened.page.read_text().count("<svg") >= 1
    for one in plots:
        assert one["width"] > 280 and one["height"] > 90 and one["marks"] >= 3, one
        assert one["text"] >= SMALLEST, one
    assert opened.value(OUTSIDE) == []


def test_the_page_does_not_scroll_sideways_even_with_everything_open(opened):
    opened.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert opened.value("document.documentElement.scrollWidth") <= opened.width


def test_text_stands_out_from_its_background(opened):
    assert opened.value(CONTRAST) >= 4.5


def test_dark_is_dark(browser, page):
    background = "getComputedStyle(document.body).backgroundColor"
    browser.open(page, DESK, "light")
    light = browser.value(background)
    browser.open(page, DESK, "dark")
    assert browser.value(background) != light


def test_tab_reaches_the_skip_link_first_then_all_that_opens_or_scrolls(browser, page):
    browser.open(page, PHONE, "light")
    browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    wanted = browser.value(
        "document.querySelectorAll('a, summary, .scroll').forEach((one, n) => one.dataset.n = n),"
        "document.querySelectorAll('[data-n]').length"
    )
    reached = []
    for _ in range(wanted):
        for kind in ("keyDown", "keyUp"):
            browser.ask(
                "Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9
            )
        reached.append(browser.value("Number(document.activeElement.dataset.n)"))
    assert reached == list(range(wanted))
    assert browser.value("document.querySelector('.skip').dataset.n") == "0"


def test_screen_reader_finds_landmarks_headings_and_plots_by_name(browser, page):
    browser.open(page, DESK, "light")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    named = {(one["role"]["value"], one.get("name", {}).get("value", "")) for one in nodes}
    roles = {role for role, _ in named}
    assert {"main", "banner", "navigation", "contentinfo"} <= roles
    assert {("image", "Speedups"), ("image", "Roofline"), ("heading", "Provenance")} <= named
    assert ("note", "Before you quote a number") in named
    assert ("image", "") not in named
