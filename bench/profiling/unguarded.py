# SPDX-License-Identifier: Apache-2.0
"""What guarding costs: judged calls beside the same calls in processes that nobody judges."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.profiling.launch import Subject, unguarded_us
from bench.record.instruments import unguarded_geomeans
from bench.record.tables import bench_records, headline_regime
from bench.task.device import Device
from bench.task.side import Side
from bench.task.workload import Workload

LOOPS = 41  # a row in each process
PROCESSES = 4  # a side, in turns: on a launch-bound row one process alone read a tenth off

Record = Mapping[str, Any]


def unguarded_records(
    bench: Sequence[Record], rows: Sequence[Workload], sides: Iterable[Side], device: Device
) -> list[dict[str, Any]]:
    """A profile record for each judged row and rounding; ProfileFailure where a side fails."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for side in list(sides) * PROCESSES:
        with tempfile.TemporaryDirectory(prefix="unguarded-") as folder:
            subject = Subject(side, tuple(rows), device)
            for row, us in unguarded_us(subject, LOOPS, Path(folder)).items():
                found.setdefault((side.name, side.rounding, row), []).extend(us)
    records = []
    for record in bench_records(bench):
        row, rounding, judged = record["workload"], record["rounding"], headline_regime(record)
        baseline, solution = found["baseline", "", row], found["solution", rounding, row]
        records.append(
            {
                "kind": "profile",
                "instrument": "unguarded",
                "workload": row,
                "rounding": rounding,
                "judged_baseline_us": judged["baseline"]["median_us"],
                "judged_solution_us": judged["solution"]["median_us"],
                "judged_speedup": judged["speedup"]["value"],
                "baseline_us": baseline,
                "solution_us": solution,
                "speedup": statistics.median(baseline) / statistics.median(solution),
            }
        )
    return records


def unguarded_lines(records: Sequence[Record]) -> list[str]:
    """For each rounding the two geometric means, and how far they lie apart."""
    return [
        f"{rounding}: geomean judged {judged:.3f}x, unguarded {plain:.3f}x,"
        f" {abs(judged / plain - 1):.2%} apart"
        for rounding, judged, plain in unguarded_geomeans(records)
    ]
