# SPDX-License-Identifier: Apache-2.0
"""The second instruments' word on how long a call takes on the device."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.profiling.launch import Subject, find_instrument, ncu_kernels, torch_traces
from bench.profiling.trace import call_times, kernels
from bench.task.device import Device
from bench.task.errors import UserError
from bench.task.side import Side
from bench.task.workload import Workload


@dataclass(frozen=True)
class KernelTimes:
    """Of one row and side, for each cold call the sum of its kernels' durations."""

    workload: str
    side: str
    rounding: str
    torch_profiler_us: tuple[float, ...]
    ncu_us: tuple[float, ...] | None
    """None where Nsight Compute is not installed"""


def kernel_times(
    rows: Sequence[Workload],
    sides: Iterable[Side],
    device: Device,
    *,
    calls: int = 20,
    ncu_calls: int = 3,
) -> list[KernelTimes]:
    """Times by torch.profiler and, where present, Nsight Compute, in processes of their own.

    Rows that a side does not implement are left out. ProfileFailure when an instrument fails.
    """
    if device.type != "cuda":
        raise UserError(
            f"--cross-check: kernel records need a GPU, got {device.type}; leave it out"
        )
    program = find_instrument("ncu")
    found = []
    for side in sides:
        subject = Subject(side, tuple(rows), device)
        with tempfile.TemporaryDirectory(prefix="cross-check-") as folder:
            traces = torch_traces(subject, calls, Path(folder))
            counts = {row: len(kernels(trace)) // calls for row, trace in traces.items()}
            measured = (
                ncu_kernels(subject, ncu_calls, Path(folder), program, counts) if program else {}
            )
        for row, trace in traces.items():
            by_ncu = [sum(one.us for one in call) for call in measured.get(row, [])]
            times = tuple(call_times(trace, calls, device.type))
            found.append(KernelTimes(row, side.name, side.rounding, times, tuple(by_ncu) or None))
    return found
