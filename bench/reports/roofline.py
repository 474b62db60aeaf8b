# SPDX-License-Identifier: Apache-2.0
"""Each row under the roof that this machine gives it: launch cost, then memory bandwidth.

All rows do about the same arithmetic a byte, so the axis is the bytes of a call: a small call is
bounded by the cost of a launch, a large one by memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.record.tables import Record, bench_records, roundings
from bench.reports.chart import ALERT, EAGER, INK, SOFT, Chart, canvas, finish, plain
from bench.reports.speedups import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


NEAR = 1.5  # times the bytes: such rows' numbers would lie on each other


def roofline_chart(records: Sequence[Record], name: str) -> Chart:
    """GB/s over MB a call, cold: both sides, the streaming floor, the roof; at least one row."""
    rows = bench_records(records)
    first = [record for record in rows if record["rounding"] == roundings(records)[0]]
    device = records[0]["provenance"]["device"]["name"]
    sheet = records[0]["config"]["datasheet_gbps"].get(device)
    empty_us = float(np.median([_cold_us(record, "empty") for record in rows]))
    with canvas(330) as (figure, (axes,)):
        from matplotlib.ticker import LogLocator

        axes.set_xscale("log")
        axes.set_yscale("log")
        sizes = [_bytes(record) for record in rows]
        span = np.geomspace(min(sizes) / 1.8, max(sizes) * 1.8, 200)
        roof = np.minimum(span / empty_us / 1e3, sheet or np.inf)
        axes.plot(span / 1e6, roof, color=ALERT, linewidth=1.2, label="roof")
        _points(axes, first, "eager", EAGER, "^")
        _points(axes, first, "stream", SOFT, "_")
        for (colour, shape), rounding in zip(MARKS, roundings(records), strict=False):
            mine = [record for record in rows if record["rounding"] == rounding]
            _points(axes, mine, plain(rounding), colour, shape)
        _number_rows(axes, first)
        axes.set_xlabel("MB a call")
        axes.set_ylabel("GB/s")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
        figure.legend(loc="lower left", ncols=3, labelcolor=INK, borderaxespad=0.2)
        figure.subplots_adjust(left=0.165, right=0.98, top=0.96, bottom=0.29)
        caption = (
            f"Cold calls. The roof is what an empty launch ({empty_us:.2f} us) and the data sheet"
            f" ({'unknown' if sheet is None else f'{sheet:g} GB/s'}) allow. Stream is a kernel that"
            " only moves the row's bytes. Numbers are the rows'."
        )
        words = "; ".join(
            f"{number} {plain(record['workload'])}: {_bytes(record) / 1e6:.2f} MB,"
            f" {record['roofline']['cold_gbps']:.0f} GB/s, {record['roofline']['bound']}"
            for number, record in enumerate(first, start=1)
        )
        return finish(figure, f"{name}-roofline", "Roofline", caption, words)


def _points(axes: Axes, rows: Sequence[Record], who: str, colour: str, shape: str) -> None:
    axes.plot(
        [_bytes(record) / 1e6 for record in rows],
        [_bytes(record) / _cold_us(record, who) / 1e3 for record in rows],
        shape,
        color=colour,
        markersize=16 if shape == "_" else 6,
        markeredgewidth=1.2,
        fillstyle="none" if shape == "s" else "full",
        label=who,
    )


def _cold_us(record: Record, who: str) -> float:
    cold = record["regimes"]["cold"]
    side = cold["baseline"] if who == "eager" else cold["others"].get(who, cold["solution"])
    return float(side["median_us"])


def _bytes(record: Record) -> float:
    return float(record["bytes_read"] + record["bytes_written"])


def _number_rows(axes: Axes, rows: Sequence[Record]) -> None:
    """Each row's number above its point, neighbours' together; they are the speedups' numbers."""
    groups: list[list[int]] = []
    by_size = sorted(range(len(rows)), key=lambda one: _bytes(rows[one]))
    for one in by_size:
        if groups and _bytes(rows[one]) < NEAR * _bytes(rows[groups[-1][-1]]):
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        middle = rows[group[len(group) // 2]]
        axes.annotate(
            " ".join(str(one + 1) for one in group),
            (_bytes(middle) / 1e6, middle["roofline"]["cold_gbps"]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            size=9.5,
        )
