# SPDX-License-Identifier: Apache-2.0
"""Nsight Systems: how it is called, and where the time of its timeline went."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.profiling.trace import ProfileFailure

REPORTS = {
    "kernels": "cuda_gpu_kern_sum",
    "memory operations": "cuda_gpu_mem_time_sum",
    "CUDA calls of the host": "cuda_api_sum",
}
"""Category -> the table of `nsys stats` that holds it."""


@dataclass(frozen=True)
class Entry:
    """One line of a table."""

    category: str
    name: str
    count: int
    total_us: float


def record_command(nsys: str, report: Path) -> list[str]:
    """What stands before the target's command; only the profiled calls are in the timeline."""
    return [
        *(nsys, "profile", "--trace", "cuda,nvtx", "--sample", "none", "--cpuctxsw", "none"),
        *("--capture-range", "cudaProfilerApi", "--capture-range-end", "stop"),
        *("--force-overwrite", "true", "--output", str(report.with_suffix(""))),
    ]


def stats_command(nsys: str, report: Path, table: str) -> list[str]:
    """One table of a recorded timeline as CSV on standard output."""
    return [
        nsys,
        "stats",
        "--report",
        table,
        "--format",
        "csv",
        "--force-export",
        "true",
        str(report),
    ]


def parse(category: str, text: str) -> list[Entry]:
    """A table of `nsys stats --format csv`; empty where it says that there is no such data."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if "Total Time (ns)" in line), None)
    if start is None:
        if "does not contain" in text:
            return []
        last = lines[-1].strip() if lines else "nothing"
        raise ProfileFailure(f"nsys: expected a table of {category}, got {last}")
    found = []
    for row in csv.DictReader(line for line in lines[start:] if line.strip()):
        name = row.get("Name") or row.get("Operation") or ""
        count = row.get("Instances") or row.get("Count") or row.get("Num Calls") or "0"
        total_us = float(row["Total Time (ns)"].replace(",", "")) / 1e3
        found.append(Entry(category, name, int(count.replace(",", "")), total_us))
    return found


def by_category(entries: Sequence[Entry]) -> Mapping[str, float]:
    """Microseconds of each category; host calls run beside the others, so they do not add up."""
    return {
        category: sum(entry.total_us for entry in entries if entry.category == category)
        for category in REPORTS
    }
