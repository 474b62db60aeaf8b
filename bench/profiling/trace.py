# SPDX-License-Identifier: Apache-2.0
"""torch.profiler's chrome trace as numbers; pure functions of its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.profiling.request import CALL

Trace = Mapping[str, Any]
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
ON_HOST = ("cpu_op", "user_annotation")
OWN_CODE = "outside torch's operators"
"""What a call spent in none of torch's operators: a native side's whole work."""


class ProfileFailure(Exception):
    """An instrument ran and what it left cannot be used."""


@dataclass(frozen=True)
class Kernel:
    """One thing that ran on the device."""

    name: str
    start_us: float
    us: float
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    registers: int | None


@dataclass(frozen=True)
class Ranked:
    """Everything of one name and one launch shape."""

    name: str
    count: int
    total_us: float
    share: float
    """of the time of all names"""
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    registers: int | None = None


def kernels(trace: Trace) -> list[Kernel]:
    """What ran on the device, in its order."""
    found = [_kernel(event) for event in _spans(trace) if event["cat"] in ON_DEVICE]
    return sorted(found, key=lambda kernel: kernel.start_us)


def call_times(trace: Trace, calls: int, device_type: str) -> list[float]:
    """Microseconds of each call: its kernels' durations together; on a CPU its own range."""
    if device_type == "cpu":
        ranges = [event for event in _spans(trace) if event["name"] == CALL]
        times = [float(event["dur"]) for event in sorted(ranges, key=_start)]
        if len(times) != calls:
            raise ProfileFailure(f"trace: expected {calls} ranges {CALL!r}, got {len(times)}")
        return times
    return per_call([kernel.us for kernel in kernels(trace)], calls)


def per_call(durations: Sequence[float], calls: int) -> list[float]:
    """Sums over calls that all launch alike; one that launches nothing is no measurement."""
    each, left = divmod(len(durations), calls)
    if left or not each:
        raise ProfileFailure(
            f"kernels: expected the same number in each of {calls} calls, got {len(durations)}"
        )
    return [sum(durations[i : i + each]) for i in range(0, len(durations), each)]


def ranking(trace: Trace, device_type: str) -> list[Ranked]:
    """Names by the time that they took themselves, the longest first."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    if device_type == "cpu":
        for name, us in _self_times(trace):
            groups.setdefault((name, None, None, None), []).append(us)
    else:
        for one in kernels(trace):
            groups.setdefault((one.name, one.grid, one.block, one.registers), []).append(one.us)
    everything = sum(map(sum, groups.values())) or 1.0
    ranked = [
        Ranked(key[0], len(times), sum(times), sum(times) / everything, *key[1:])
        for key, times in groups.items()
    ]
    return sorted(ranked, key=lambda one: -one.total_us)


def _self_times(trace: Trace) -> list[tuple[str, float]]:
    """Time of host ranges without that of the ranges inside them, within our calls only."""
    found: list[tuple[str, float]] = []
    by_thread: dict[Any, list[Any]] = {}
    for event in _spans(trace):
        if event["cat"] in ON_HOST:
            by_thread.setdefault(event.get("tid"), []).append(event)
    for events in by_thread.values():
        stack: list[list[Any]] = []  # name, end, self time
        for event in sorted(events, key=lambda one: (_start(one), -float(one["dur"]))):
            start, us = _start(event), float(event["dur"])
            while stack and stack[-1][1] <= start:
                _close(stack, found)
            if not stack and event["name"] != CALL:
                continue
            if stack:
                stack[-1][2] -= us
            stack.append([event["name"], start + us, us])
        while stack:
            _close(stack, found)
    return found


def _close(stack: list[list[Any]], found: list[tuple[str, float]]) -> None:
    name, _, us = stack.pop()
    found.append((OWN_CODE if name == CALL else name, max(0.0, us)))


def _spans(trace: Trace) -> list[Any]:
    events = trace.get("traceEvents")
    if not isinstance(events, list):
        raise ProfileFailure("trace: expected a chrome trace with traceEvents, got another file")
    return [event for event in events if event.get("ph") == "X" and "cat" in event]


def _kernel(event: Mapping[str, Any]) -> Kernel:
    args = event.get("args", {})
    grid, block = args.get("grid"), args.get("block")
    return Kernel(
        str(event["name"]),
        _start(event),
        float(event["dur"]),
        tuple(grid) if grid else None,
        tuple(block) if block else None,
        args.get("registers per thread"),
    )


def _start(event: Mapping[str, Any]) -> float:
    return float(event["ts"])
