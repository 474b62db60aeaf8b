# SPDX-License-Identifier: Apache-2.0
"""What other instruments said of the rows that a benchmark judged."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from bench.record.tables import Record, Table, us
from bench.timing.statistics import geometric_mean


def cross_check(records: Sequence[Record]) -> Iterator[Table]:
    """Cold times of the same calls by up to three instruments."""
    found = [one for one in records if one.get("instrument") == "cross-check"]
    words = {True: "yes", False: "NO", None: "not judged: short"}
    head = ["row", "side", "rounding", "events us", "torch.profiler us", "ncu us", "apart", "agree"]
    rows = [
        [
            one["workload"],
            one["side"],
            one["rounding"] or "each_step",
            us(one["cold_us"]),
            us(one["torch_profiler_us"]),
            "absent" if one["ncu_us"] is None else us(one["ncu_us"]),
            f"{one['apart']:.2%}",
            words[one["agree"]],
        ]
        for one in found
    ]
    if rows:
        yield Table("Three instruments, cold", head, rows)


def unguarded(records: Sequence[Record]) -> Iterator[Table]:
    """Judged calls beside unguarded ones, and the two geometric means of each rounding."""
    found = [one for one in records if one.get("instrument") == "unguarded"]
    head = ["row", "rounding", "judged us", "unguarded us", "judged speedup", "unguarded speedup"]
    rows = [
        [
            one["workload"],
            one["rounding"],
            us(one["judged_solution_us"]),
            us(statistics.median(one["solution_us"])),
            f"{one['judged_speedup']:.3f}x",
            f"{one['speedup']:.3f}x",
        ]
        for one in found
    ]
    for rounding, judged, plain in unguarded_geomeans(found):
        apart = f"{abs(judged / plain - 1):.2%} apart"
        rows.append(["geomean", rounding, "", apart, f"{judged:.3f}x", f"{plain:.3f}x"])
    if rows:
        yield Table("What guarding costs, call", head, rows)


def unguarded_geomeans(records: Sequence[Record]) -> Iterator[tuple[str, float, float]]:
    """Of each rounding the geometric mean of the judged speedups, and of the unguarded ones."""
    for rounding in dict.fromkeys(one["rounding"] for one in records):
        mine = [one for one in records if one["rounding"] == rounding]
        judged, plain = ([float(one[key]) for one in mine] for key in ("judged_speedup", "speedup"))
        yield rounding, geometric_mean(judged), geometric_mean(plain)
