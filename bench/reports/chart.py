# SPDX-License-Identifier: Apache-2.0
"""A drawing by matplotlib as inline SVG: text stays text, colours are the page's, ids are its own.

Every drawing is WIDTH points wide. A phone shows it nearly at that size, a desk two in a row: so
one drawing is readable on both.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.task.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 360
POINTS = 72  # in an inch
SVG = "http://www.w3.org/2000/svg"
LINK = "http://www.w3.org/1999/xlink"
INK, SOFT, LINE, EAGER, FIRST, SECOND, ALERT = (f"#0{n}0{n}0{n}" for n in range(1, 8))
"""Stand-ins, each replaced by the page's variable of that name: light and dark are one drawing."""
COLOURS = {
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
    EAGER: "--eager",
    FIRST: "--first",
    SECOND: "--second",
    ALERT: "--alert",
}
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "report",
    "text.parse_math": False,  # a record's text may hold dollars
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": LINE,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Chart:
    """One drawing, what it shows, and what it says in words for those who do not see it."""

    name: str
    title: str
    caption: str
    words: str
    svg: str


def plain(value: object, longest: int = 60) -> str:
    """A record's text as one line without control characters, at most so long."""
    text = "".join(one if one.isprintable() else "\ufffd" for one in str(value))
    return text if len(text) <= longest else text[: longest - 1] + "\u2026"


@contextmanager
def canvas(height: float, rows: int = 1, **more: Any) -> Iterator[tuple[Figure, list[Axes]]]:  # noqa: ANN401
    """A figure of WIDTH by height points with axes below each other, in the page's style."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError(
            "matplotlib: needed for plots, not installed; run make, or install what"
            " pyproject.toml lists as report"
        ) from None
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH / POINTS, height / POINTS), dpi=POINTS)
        axes = figure.subplots(rows, 1, squeeze=False, **more)
        yield figure, [row[0] for row in axes]


def finish(figure: Figure, name: str, title: str, caption: str, words: str) -> Chart:
    """The figure as a chart; `name` is unique on its page."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(file, format="svg", metadata=nothing)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    root = ElementTree.fromstring(file.getvalue())
    for definitions in root.findall(f"{{{SVG}}}defs"):
        for style in definitions.findall(f"{{{SVG}}}style"):
            definitions.remove(style)  # it would hold for the whole page
    for element in root.iter():
        _make_own(element, name)
    for size in ("width", "height"):
        del root.attrib[size]  # the page's width decides
    root.attrib |= {"role": "img", "aria-label": title}
    return Chart(name, title, caption, words, ElementTree.tostring(root, encoding="unicode"))


def _make_own(element: ElementTree.Element, name: str) -> None:
    """Give ids the chart's name, colours the page's variables, text the page's font."""
    attributes: Mapping[str, str] = dict(element.attrib)
    for key, value in attributes.items():
        if key == "id":
            value = f"{name}-{value}"
        value = value.replace("url(#", f"url(#{name}-")
        if key == f"{{{LINK}}}href":
            key, value = "href", f"#{name}-{value[1:]}"
            del element.attrib[f"{{{LINK}}}href"]
        if key == "style":
            for stand_in, variable in COLOURS.items():
                value = value.replace(stand_in, f"var({variable})")
            value = re.sub(r"font-family: [^;]*(; )?", "", value)
        element.attrib[key] = value
