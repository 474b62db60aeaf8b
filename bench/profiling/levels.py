# SPDX-License-Identifier: Apache-2.0
"""The three levels, each a stream of records' own fields."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.profiling import ncu, nsys
from bench.profiling.launch import (
    Subject,
    ncu_kernels,
    needed_instrument,
    nsys_entries,
    torch_traces,
)
from bench.profiling.trace import call_times, kernels, ranking
from bench.record.status import Status
from bench.task.workload import Workload

Fields = dict[str, Any]
INSTRUMENTS = {1: "torch.profiler", 2: "nsys", 3: "ncu"}
NCU_CALLS = 3  # each kernel is replayed once a group of counters: more calls say nothing new


def profile(subject: Subject, level: int, calls: int, folder: Path) -> Iterator[Fields]:
    """Records of one side; UserError without the level's instrument, ProfileFailure if it fails."""
    if level == 1:
        yield from _by_torch(subject, calls, folder)
    elif level == 2:
        yield _by_nsys(subject, calls, folder)
    else:
        yield from _by_ncu(subject, calls, folder)


def _by_torch(subject: Subject, calls: int, folder: Path) -> Iterator[Fields]:
    device_type = subject.device.type
    traces = torch_traces(subject, calls, folder)
    for row in subject.rows:
        if row.id not in traces:
            yield _missing(row)
            continue
        trace = traces[row.id]
        yield {
            **_row(row, call_times(trace, calls, device_type)),
            "kernels": [asdict(one) for one in ranking(trace, device_type)],
            "trace": f"{folder.name}/{row.id}.json",
        }


def _by_nsys(subject: Subject, calls: int, folder: Path) -> Fields:
    program = needed_instrument("nsys", 2, subject.device)
    entries = nsys_entries(subject, calls, folder, program)
    return {
        "workload": None,
        "status": Status.PASSED,
        "rows": [row.id for row in subject.rows],
        "category_us": dict(nsys.by_category(entries)),
        "entries": [asdict(one) for one in entries],
        "timeline": f"{folder.name}/timeline.nsys-rep",
    }


def _by_ncu(subject: Subject, calls: int, folder: Path) -> Iterator[Fields]:
    program = needed_instrument("ncu", 3, subject.device)
    traces = torch_traces(subject, calls, folder)
    counts = {row: len(kernels(trace)) // calls for row, trace in traces.items()}
    measured = ncu_kernels(subject, NCU_CALLS, folder, program, counts)
    for row in subject.rows:
        if row.id in measured:
            yield _traffic(row, measured[row.id], subject.device.l2_bytes)
        else:
            yield _missing(row)


def _traffic(row: Workload, calls: Sequence[Sequence[ncu.Measured]], l2_bytes: int) -> Fields:
    """A row's counters, of the call that moved least: what it did not move it cannot have used."""
    moved = [sum(one.dram_read_bytes + one.dram_write_bytes for one in call) for call in calls]
    least = calls[moved.index(min(moved))]
    read = row.op.bytes_read(row.layout, row.axes, row.dtype)
    written = row.op.bytes_written(row.layout, row.axes, row.dtype)
    return {
        **_row(row, [sum(one.us for one in call) for call in calls]),
        "dram_bytes": min(moved),
        "traffic_ratio": min(moved) / row.bytes_moved,
        "kernels": [asdict(one) for one in least],
        "findings": ncu.findings(least, read, written, l2_bytes),
    }


def _row(row: Workload, call_us: Sequence[float]) -> Fields:
    median = statistics.median(call_us)
    return {
        "workload": row.id,
        "status": Status.PASSED,
        "call_us": list(call_us),
        "median_us": median,
        "bytes_moved": row.bytes_moved,
        "gigabytes_per_second": row.bytes_moved / median / 1e3,
    }


def _missing(row: Workload) -> Fields:
    return {"workload": row.id, "status": Status.NOT_IMPLEMENTED}
