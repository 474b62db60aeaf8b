# SPDX-License-Identifier: Apache-2.0
"""Several full runs of one tree beside each other: how far does a repeat fall from the first?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bench.record.tables import (
    Record,
    Table,
    bench_records,
    headline_regime,
    interval,
    roundings,
)

LARGE_US = 20.0  # above it the device is the limit, and what the host does is hidden


def repeats(files: Mapping[str, Sequence[Record]]) -> Table | None:
    """A line a complete benchmark of both or one rounding; None where there is but one.

    The null control is the furthest of the rows: those whose solution takes more than 20 us a
    call, and the others.
    """
    runs = {
        name: records
        for name, records in files.items()
        if records[0]["command"] == "benchmark" and records[-1].get("headlines")
    }
    if len(runs) < 2:
        return None
    ordered = sorted(runs.items(), key=lambda run: str(run[1][0]["time"]))
    means = list(dict.fromkeys(name for _, records in ordered for name in roundings(records)))
    head = ["file", "rows in s", *(f"geomean {name}" for name in means)]
    head += ["null control, large", "null control, small", "marked trials"]
    return Table("Full runs of this tree", head, [_line(*run, means) for run in ordered])


def _line(name: str, records: Sequence[Record], means: Sequence[str]) -> list[str]:
    rows = bench_records(records)
    found = {one["rounding"]: interval(one["geomean"]) for one in records[-1]["headlines"]}
    large = [row for row in rows if headline_regime(row)["solution"]["median_us"] > LARGE_US]
    small = [row for row in rows if row not in large]
    started, ended = (datetime.fromisoformat(one["time"]) for one in (records[0], rows[-1]))
    return [
        name,
        f"{(ended - started).total_seconds():.0f}",
        *(found.get(mean, "not run") for mean in means),
        _noise(large),
        _noise(small),
        str(sum(row["marked_trials"] for row in rows)),
    ]


def _noise(rows: Sequence[Record]) -> str:
    if not rows:
        return "no such row"
    return f"{100 * max(headline_regime(row)['noise'] for row in rows):.2f} %"
