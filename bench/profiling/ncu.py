# SPDX-License-Identifier: Apache-2.0
"""Nsight Compute: how it is called, what its CSV says, and whether a row moved what it must."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.profiling.trace import ProfileFailure

METRICS = {
    "us": "gpu__time_duration.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "dram_percent": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm_percent": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "occupancy_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
REQUIRED = ("us", "dram_read_bytes", "dram_write_bytes")
TO_MICROSECONDS = {
    **dict.fromkeys(("ns", "nsecond"), 1e-3),
    **dict.fromkeys(("us", "usecond"), 1.0),
    **dict.fromkeys(("ms", "msecond"), 1e3),
    **dict.fromkeys(("s", "second"), 1e6),
}
TO_BYTES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
UNITS = {"us": TO_MICROSECONDS, "dram_read_bytes": TO_BYTES, "dram_write_bytes": TO_BYTES}
SLACK = 0.02
"""A row that moves this share less than its least is not yet a finding: counters are sampled."""


@dataclass(frozen=True)
class Measured:
    """One kernel as Nsight Compute saw it; None for a metric that this GPU has not."""

    name: str
    grid: str
    block: str
    us: float
    dram_read_bytes: float
    dram_write_bytes: float
    dram_percent: float | None
    sm_percent: float | None
    occupancy_percent: float | None
    registers: float | None


def command(ncu: str, log: Path) -> list[str]:
    """What stands before the target's command. Caches are flushed before each pass of a kernel."""
    return [
        *(ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log)),
        *("--clock-control", "none", "--cache-control", "all", "--profile-from-start", "off"),
        *("--target-processes", "all", "--metrics", ",".join(METRICS.values())),
    ]


def parse(text: str) -> list[Measured]:
    """The kernels of `ncu --csv --page raw`, in launch order; ProfileFailure when there is none."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        raise ProfileFailure(f"ncu: expected a CSV table, got {_reason(lines)}")
    rows = list(csv.reader(line for line in lines[start:] if line.startswith('"')))
    header, units = rows[0], dict(zip(rows[0], rows[1], strict=False))
    missing = [METRICS[key] for key in REQUIRED if METRICS[key] not in header]
    if missing:
        raise ProfileFailure(f"ncu: expected the metric {missing[0]} in its table, got none")
    found = []
    for cells in rows[2:]:
        row = dict(zip(header, cells, strict=False))
        values = {key: _value(key, row.get(name), units.get(name)) for key, name in METRICS.items()}
        empty = [key for key in REQUIRED if values[key] is None]
        if empty:
            raise ProfileFailure(f"ncu: expected a number for {METRICS[empty[0]]}, got none")
        labels = row.get("Kernel Name", ""), row.get("Grid Size", ""), row.get("Block Size", "")
        found.append(Measured(*labels, **values))  # type: ignore[arg-type]
    if not found:
        raise ProfileFailure("ncu: expected at least one kernel, got none")
    return found


def split(
    measured: Sequence[Measured], kernels_a_call: Sequence[tuple[str, int]], calls: int
) -> dict[str, list[list[Measured]]]:
    """The kernels of each row's calls, given how many each row launches a call, in order."""
    expected = calls * sum(count for _, count in kernels_a_call)
    if len(measured) != expected:
        raise ProfileFailure(f"ncu: expected {expected} kernels, got {len(measured)}")
    rows: dict[str, list[list[Measured]]] = {}
    at = 0
    for row, count in kernels_a_call:
        rows[row] = [list(measured[at + i * count :][:count]) for i in range(calls)]
        at += calls * count
    return rows


def findings(
    kernels: Sequence[Measured], bytes_read: int, bytes_written: int, l2_bytes: int
) -> list[str]:
    """What is impossible for one honest call: inputs not read, or outputs not written.

    The caches are empty when a kernel starts, so inputs come from memory; of the outputs as much
    as L2 holds may still lie in it when the last kernel ends.
    """
    read = sum(kernel.dram_read_bytes for kernel in kernels)
    written = sum(kernel.dram_write_bytes for kernel in kernels)
    found = []
    if read < bytes_read * (1 - SLACK):
        found.append(f"read {read:.0f} bytes from memory, less than its inputs' {bytes_read}")
    if written < (bytes_written - l2_bytes) * (1 - SLACK):
        found.append(
            f"wrote {written:.0f} bytes to memory, less than its outputs' {bytes_written} even "
            f"with {l2_bytes} left in L2"
        )
    return found


def _value(key: str, text: str | None, unit: str | None) -> float | None:
    if text is None or text in ("", "n/a", "N/A", "nan"):
        return None
    number = float(text.replace(",", ""))
    factors = UNITS.get(key)
    if factors is None:
        return number
    if unit not in factors:
        raise ProfileFailure(f"ncu: {METRICS[key]}: expected a unit of {list(factors)}, got {unit}")
    return number * factors[unit]


def _reason(lines: Sequence[str]) -> str:
    if any("ERR_NVGPUCTRPERM" in line for line in lines):
        return (
            "no permission for the GPU's counters (ERR_NVGPUCTRPERM); run as root or have the "
            "driver loaded with NVreg_RestrictProfilingToAdminUsers=0"
        )
    errors = [line.strip() for line in lines if "==ERROR==" in line]
    return errors[0] if errors else (lines[-1].strip() if lines else "nothing")
