# SPDX-License-Identifier: Apache-2.0
"""Every row's speedup with its interval, and the headline's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.record.tables import (
    Record,
    bench_records,
    headline_regime,
    headline_regime_name,
    interval,
    roundings,
    workloads,
)
from bench.reports.chart import EAGER, FIRST, INK, SECOND, SOFT, Chart, canvas, finish, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = ((FIRST, "o"), (SECOND, "s"))
"""Colour and shape of each rounding: neither alone tells them apart."""
LANE = 9.0  # points, of one interval


@dataclass(frozen=True)
class Line:
    """A row, or the headline, with each rounding's ratio."""

    label: str
    values: Sequence[tuple[str, Record]]
    strong: bool = False


def speedup_chart(records: Sequence[Record], name: str) -> Chart:
    """Every row and the headline, in the headline's regime; at least one timed row."""
    marks = dict(zip(roundings(records), MARKS, strict=False))
    regime = headline_regime_name(bench_records(records)[0])
    confidence = records[0]["config"]["benchmark"]["confidence"]
    caption = (
        f"Eager's median over the solution's in the {regime} regime, with its {confidence:.0%}"
        " interval. Right of the line the solution is faster."
    )
    return forest(_lines(records), marks, f"{name}-speedups", "Speedups", caption)


def repeats_chart(files: Mapping[str, Sequence[Record]], name: str) -> Chart:
    """The headlines of full runs, the oldest first; at least one run that has one."""
    runs = sorted(
        ((key, one) for key, one in files.items() if one[-1].get("headlines")),
        key=lambda run: str(run[1][0]["time"]),
    )
    lines = [
        Line(
            plain(key, 44), [(one["rounding"], one["geomean"]) for one in records[-1]["headlines"]]
        )
        for key, records in runs
    ]
    order = dict.fromkeys(rounding for line in lines for rounding, _ in line.values)
    marks = dict(zip(order, MARKS, strict=False))
    caption = "Each run's geometric mean with its own interval, the oldest run first."
    return forest(lines, marks, f"{name}-speedups", "Headlines of every run", caption)


def forest(
    lines: Sequence[Line], marks: Mapping[str, tuple[str, str]], name: str, title: str, caption: str
) -> Chart:
    """Ratios with their intervals, a line each, against 1."""
    deepest = max(len(line.values) for line in lines)
    pitch = 22 + LANE * deepest
    height = pitch * len(lines) + 64
    with canvas(height) as (figure, (axes,)):
        for place, line in enumerate(lines):
            _draw(axes, line, -pitch * place, marks)
        axes.axvline(1, color=EAGER, linewidth=1.5)
        axes.annotate("eager", (1, 14), ha="center", color=SOFT, size=9.5, annotation_clip=False)
        for rounding, (colour, shape) in marks.items():
            axes.plot([], [], f"{shape}-", color=colour, markersize=5, label=plain(rounding))
        figure.legend(loc="lower left", ncols=2, labelcolor=INK, borderaxespad=0.2)
        axes.set_ylim(-pitch * len(lines) + 8, 12)
        axes.set_xlim(left=min(0.9, axes.get_xlim()[0]))
        axes.set_yticks([])
        axes.xaxis.set_major_formatter("{x:g}x")
        figure.subplots_adjust(left=0.02, right=0.88, top=1 - 20 / height, bottom=44 / height)
        words = "; ".join(
            f"{line.label}: "
            + ", ".join(f"{plain(rounding)} {interval(one)}" for rounding, one in line.values)
            for line in lines
        )
        return finish(figure, name, title, caption, words)


def _lines(records: Sequence[Record]) -> list[Line]:
    rows = bench_records(records)
    lines = [
        Line(
            f"{number} {plain(workload, 44)}",
            [
                (record["rounding"], headline_regime(record)["speedup"])
                for record in rows
                if record["workload"] == workload
            ],
        )
        for number, workload in enumerate(workloads(records), start=1)
    ]
    headlines = [(one["rounding"], one["geomean"]) for one in records[-1].get("headlines", [])]
    if headlines:
        lines.append(Line("geometric mean", headlines, strong=True))
    return lines


def _draw(axes: Axes, line: Line, top: float, marks: Mapping[str, tuple[str, str]]) -> None:
    """The label above, then each rounding's interval with its value at the right."""
    frame = ("axes fraction", "data")
    weight = "bold" if line.strong else "normal"
    axes.annotate(line.label, (0, top), xycoords=frame, weight=weight, va="center")
    for below, (rounding, one) in enumerate(line.values, start=1):
        colour, shape = marks[rounding]
        height = top - 3 - LANE * below
        axes.plot([one["low"], one["high"]], [height] * 2, color=colour, linewidth=2)
        axes.plot(one["value"], height, "D" if line.strong else shape, color=colour, markersize=5)
        axes.annotate(
            f"{one['value']:.2f}x",
            (1, height),
            xycoords=frame,
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=SOFT,
            size=9.5,
        )
