# SPDX-License-Identifier: Apache-2.0
"""How far from the oracle the elements of the checked outputs lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bench.record.tables import Record
from bench.reports.chart import FIRST, INK, Chart, canvas, finish, plain


def ulp_charts(records: Sequence[Record], name: str) -> Iterator[Chart]:
    """A histogram a side and rounding, of all checks that recorded their numerics."""
    found: dict[tuple[str, str], Counter[int]] = {}
    for record in records:
        if record["kind"] == "check" and record.get("numerics"):
            counts = found.setdefault((record["side"], record["rounding"]), Counter())
            histogram = record["numerics"]["ulp_histogram"]
            counts.update({int(ulps): int(n) for ulps, n in histogram.items()})
    for number, ((side, rounding), counts) in enumerate(found.items(), start=1):
        yield _chart(f"{name}-ulps-{number}", f"{side}, {rounding}", counts)


def _chart(name: str, label: str, counts: Counter[int]) -> Chart:
    ulps = sorted(counts)
    with canvas(170) as (figure, (axes,)):
        bars = axes.bar([str(one) for one in ulps], [counts[one] for one in ulps], color=FIRST)
        axes.bar_label(bars, [f"{counts[one]:,}" for one in ulps], color=INK, size=9.5)
        axes.set_yscale("log")
        axes.set_ylim(0.5, 5 * max(counts.values()))  # room for the labels
        axes.set_xlabel("ulps from the oracle")
        axes.set_yticks([])
        figure.subplots_adjust(left=0.03, right=0.97, top=0.96, bottom=0.24)
        words = "; ".join(
            f"{counts[one]:,} elements {one} ulps away" for one in ulps if counts[one]
        )
        return finish(figure, name, f"Distances: {plain(label)}", "", words)
