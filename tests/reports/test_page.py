# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench import report
from bench.reports.page import report_page
from bench.task.errors import UserError
from tests.reports.made_results import ROWS, records, write

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = [
    "</style></title><script>alert(1)</script>",
    '"><img src="http://198.51.100.1/x.png" onerror=alert(1)>',
    "]]></svg><svg onload=alert(1)>",
    "{{7*7}}{% raw %}$x^{$ \\frac{1",
    "a\u202eb\u0000c\u001b[31m",
    "x" * 5000,
]


class Elements(HTMLParser):
    """Every element with its attributes, and the text beside them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def of(self, name):
        return [attributes for tag, attributes in self.found if tag == name]

    def values(self, key):
        return [attributes[key] for _, attributes in self.found if key in attributes]


def page_of(found, *, name="a.jsonl", gauntlet=()):
    for one in found:
        one.setdefault("digest", "0" * 64)
    return report_page({name: found}, gauntlet)


def test_nothing_that_a_record_says_becomes_markup_or_a_request(tmp_path):
    found = records({name: (100.0, 50.0) for name in HOSTILE}, device=HOSTILE[0])
    for text, one in zip(HOSTILE, [one for one in found if one["kind"] == "bench"], strict=True):
        one["plan"] = text
    found[0]["slug"] = found[0]["provenance"]["git"]["revision"] = HOSTILE[0]
    case = {"device": HOSTILE[1], "kind": "cheaters", "name": HOSTILE[0], "language": "c"}
    case |= {"family": "f", "does": HOSTILE[1], "status": "X", "defence": "y", "good": True}
    gauntlet = tmp_path / "gauntlet.jsonl"
    gauntlet.write_text(json.dumps(case) + "\n")
    page = page_of(found, name=HOSTILE[1], gauntlet=[gauntlet])
    shown = Elements(page)
    tags = {tag for tag, _ in shown.found}
    assert not tags & {"script", "img", "iframe", "object", "embed", "base", "form"}
    assert not [key for _, attributes in shown.found for key in attributes if key.startswith("on")]
    assert all(
        one.startswith(("#", "data:,")) for key in ("href", "src") for one in shown.values(key)
    )
    assert HOSTILE[0] in shown.text and HOSTILE[1] in shown.text
    assert "{{7*7}}" in shown.text and "\u202e" not in "".join(
        re.findall(r"<svg.*?</svg>", page, re.S)
    )


def test_every_reference_has_one_target_and_every_plot_and_table_a_name():
    shown = Elements(page_of(records()))
    ids = shown.values("id")
    assert len(ids) == len(set(ids))
    for key in ("aria-labelledby",):
        assert set(shown.values(key)) <= set(ids)
    assert {one.removeprefix("#") for one in shown.values("href") if one[0] == "#"} <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", str(shown.found))) <= set(ids)
    assert shown.of("svg") and all(
        one["role"] == "img" and one["aria-label"] for one in shown.of("svg")
    )
    assert len(shown.of("caption")) == len(shown.of("table")) > 2
    assert len(shown.of("h1")) == len(shown.of("main")) == 1
    assert shown.of("html") == [{"lang": "en"}]


def test_every_row_is_in_every_plot_of_rows():
    page = page_of(records())
    for number, name in enumerate(ROWS, start=1):
        svgs = re.findall(r"<svg.*?</svg>", page, re.S)
        assert sum(f"{number} {name}" in svg for svg in svgs) == 2  # speedups; its own samples
        assert f">{number}<" in next(svg for svg in svgs if 'aria-label="Roofline"' in svg)


def test_what_must_not_be_missed_comes_from_the_records():
    text = " ".join(Elements(page_of(records(noise=0.123))).text.split())
    assert "It is not a model's" in text and "up to 12.3% apart" in text
    assert "None of 14 was throttled" in text and "This run has flaws" not in text


def test_flaws_of_a_run_are_said():
    found = records(marks=("throttled: hw_slowdown",))
    found[0].update(frozen=False, overrides={"benchmark.trials": 3})
    found[0]["provenance"]["device"]["pinned"] = False
    found[0]["provenance"]["git"]["dirty"] = True
    found[0]["provenance"]["host"]["landlock_version"] = 0
    text = " ".join(Elements(page_of(found[:-1])).text.split())
    for words in (
        "14 of 14: throttled: hw_slowdown",
        "did not come to its end",
        "not the frozen ones",
        "overridden: benchmark.trials",
        "not pinned",
        "changes that git does not know",
        "players were not confined",
    ):
        assert words in text, words


def test_distances_are_drawn_where_checks_recorded_them_and_else_said_to_be_missing():
    found = records()
    assert "a.jsonl holds no histogram of ulps" in Elements(page_of(found)).text
    for one in found:
        if one["kind"] == "check" and one["side"] == "solution":
            one["numerics"] = {"ulp_histogram": {"0": 1000, "1": 25, "2": 0}}
    page = page_of(found)
    assert "no histogram" not in page
    assert "2,000 elements 0 ulps away; 50 elements 1 ulps away" in page  # of both rows' checks


def test_without_a_report_of_the_gauntlet_the_page_says_so():
    assert "nothing is said of how the judge did" in Elements(page_of(records())).text


def test_a_case_that_slipped_through_is_not_in_the_score(tmp_path):
    case = {"device": "d", "kind": "cheaters", "name": "n", "language": "c", "family": "f"}
    case |= {"does": "x", "status": "PASSED", "defence": ""}
    path = tmp_path / "gauntlet.jsonl"
    lines = [json.dumps({**case, "good": good}) for good in (True, True, False)]
    path.write_text("\n".join(lines) + "\n")
    text = Elements(page_of(records(), gauntlet=[path])).text
    assert "cheaters caught 2/3" in text and "NOT every case" in text


def test_a_run_that_timed_nothing_still_has_a_page():
    found = records()
    page = page_of([found[0], {"kind": "end", "headlines": [], "no_headline_because": ["none"]}])
    assert "<svg" not in page and "Provenance" in page


@pytest.mark.parametrize("key", ["regimes", "bytes_read", "roofline"])
def test_records_of_another_version_are_one_sentence(key):
    found = records()
    del next(one for one in found if one["kind"] == "bench")[key]
    with pytest.raises(UserError, match=rf"a\.jsonl: expected records.*{key}"):
        page_of(found)


def test_of_several_full_runs_the_newest_is_shown_in_full_and_all_beside_each_other():
    runs = {}
    for day in (2, 3, 1):
        runs[f"run{day}.jsonl"] = found = records(seed=day)
        for one in found:
            one.update(time=f"2026-01-0{day}T00:00:00+00:00", digest="0" * 64)
    page = report_page(runs, ())
    shown = Elements(page)
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert headings.count("Benchmark on NVIDIA H200") == 1
    assert re.findall(r'<a href="#file-1">(.*?)</a>', page) == ["run3.jsonl"]
    (chart,) = re.findall(r'<svg[^>]*aria-label="Headlines of every run".*?</svg>', page, re.S)
    assert re.findall(r"run\d\.jsonl", re.sub("<!--.*?-->", "", chart)) == [
        "run1.jsonl",
        "run2.jsonl",
        "run3.jsonl",
    ]
    assert "Full runs of this tree" in shown.text


def test_the_same_files_give_the_same_page():
    assert page_of(records()) == page_of(records())


def test_without_matplotlib_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match="matplotlib: needed for plots, not installed"):
        page_of(records())


@pytest.mark.skipif(not list((ROOT / "results").glob("*.jsonl")), reason="no results committed")
def test_the_page_of_a_full_run_takes_at_most_five_seconds(tmp_path):
    started = time.process_time()
    assert report.main([f"--html={tmp_path / 'report.html'}"]) == 0
    assert time.process_time() - started < 5


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    path = write(tmp_path / "a.jsonl", records())
    with pytest.raises(UserError, match=r"--html: .*No such file"):
        report.main([str(path), f"--html={tmp_path / 'none' / 'page.html'}"])


def test_json_holds_the_tables_that_the_terminal_shows(tmp_path, capsys):
    path = write(tmp_path / "a.jsonl", records())
    assert report.main([str(path), "--json"]) == 0
    (section,) = json.loads(capsys.readouterr().out).values()
    assert report.main([str(path)]) == 0
    printed = capsys.readouterr().out
    for table in section["tables"]:
        assert table["title"] in printed
        assert all(cell in printed for row in table["rows"] for cell in row)
    assert "\x1b" not in printed
