# SPDX-License-Identifier: Apache-2.0
"""A solution whose calls launch kernels that are not of its own build is named so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.judge.checker import Check
from bench.judge.verify import Finding
from bench.profiling.census import Launched, census
from bench.profiling.launch import Subject
from bench.profiling.trace import ProfileFailure
from bench.record.status import Status
from bench.task.device import Device
from bench.task.side import Side
from bench.task.workload import Workload

REFUSE = "refuse"


def check_library_calls(
    emit: Callable[[Check], None],
    side: Side,
    rows: Sequence[Workload],
    device: Device,
    policy: str,
) -> None:
    """One check a row of a solution, on a GPU: a CPU launches no kernels."""
    try:
        launched = census(Subject(side, tuple(rows), device))
        findings = {row.id: judged(launched.get(row.id), policy) for row in rows}
    except ProfileFailure as failure:
        findings = {row.id: Finding(Status.NOT_RUN, str(failure)) for row in rows}
    for row in rows:
        where = {"layout": row.layout, "axes": dict(row.axes), "dtype": row.dtype}
        finding = findings[row.id]
        emit(Check("census", row.op.name, side.name, side.rounding, finding, row.id, where))


def judged(launched: Launched | None, policy: str) -> Finding:
    """NOT_IMPLEMENTED under `refuse` where a call left any of its work to somebody else's kernels.

    Under `report` the text says so.
    """
    if launched is None:
        return Finding(Status.NOT_RUN, "the profiled process did not call the row")
    if launched.own and not launched.foreign:
        return Finding(Status.PASSED, f"own kernels: {', '.join(launched.own)}")
    text = "launched nothing on the device"
    if launched.foreign:
        text = f"not of the solution's build: {', '.join(launched.foreign)}"
    return Finding(Status.NOT_IMPLEMENTED if policy == REFUSE else Status.PASSED, text)
