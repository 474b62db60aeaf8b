# SPDX-License-Identifier: Apache-2.0
"""Every sample of every process of a row: what a median and an interval are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.record.tables import (
    Record,
    bench_records,
    headline_regime,
    roundings,
    us,
    workloads,
)
from bench.reports.chart import EAGER, SOFT, Chart, canvas, finish, plain
from bench.reports.speedups import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = tuple[str, Record, tuple[str, str]]
"""A label, the side's part of a regime, and its colour and shape."""
LANE = 9.0  # points a process
SIZE = {"|": 6.5, "o": 4.5, "s": 4.0}


def sample_charts(records: Sequence[Record], name: str) -> Iterator[Chart]:
    """A chart a row: each sample's distance from its side's median, a lane a process."""
    marks = dict(zip(roundings(records), MARKS, strict=False))
    for number, workload in enumerate(workloads(records), start=1):
        rows = [one for one in bench_records(records) if one["workload"] == workload]
        sides = [("eager", headline_regime(rows[0])["baseline"], (EAGER, "|"))]
        for row in rows:
            solution = headline_regime(row)["solution"]
            sides.append((plain(row["rounding"], 12), solution, marks[row["rounding"]]))
        yield _chart(f"{name}-samples-{number}", f"{number} {plain(workload)}", sides)


def _chart(name: str, title: str, sides: Sequence[Side]) -> Chart:
    lanes = sum(len(side["us"]) + 1 for _, side, _ in sides)
    height = lanes * LANE + 42
    with canvas(height) as (figure, (axes,)):
        top = 0.0
        for label, side, mark in sides:
            top = _draw(axes, f"{label}\n{us(side['median_us'])} us", side, mark, top)
        axes.axvline(0, color=SOFT, linewidth=0.8)
        axes.set_ylim(top + LANE / 2, LANE)
        axes.set_yticks([])
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:+g} %" if x else "0 %")
        axes.locator_params(axis="x", nbins=5)
        figure.subplots_adjust(left=0.2, right=0.92, top=1 - 4 / height, bottom=26 / height)
        words = "; ".join(
            f"{label}: median {us(side['median_us'])} us, 10th to 90th percentile"
            f" {us(side['p10_us'])} to {us(side['p90_us'])} us, {len(side['us'])} processes"
            for label, side, _ in sides
        )
        return finish(figure, name, title, "", words)


def _draw(axes: Axes, label: str, side: Record, mark: tuple[str, str], top: float) -> float:
    """One side's lanes from `top` down; where the next side begins."""
    colour, shape = mark
    middle = top - LANE * (len(side["us"]) - 1) / 2
    axes.annotate(
        label,
        (0, middle),
        xycoords=("axes fraction", "data"),
        xytext=(-8, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        size=10,
    )
    for samples in side["us"]:
        apart = (np.asarray(samples, dtype=np.float64) / side["median_us"] - 1) * 100
        axes.plot(apart, [top] * apart.size, shape, color=colour, alpha=0.7, markersize=SIZE[shape])
        top -= LANE
    return top - LANE
