# SPDX-License-Identifier: Apache-2.0
"""The profiled process: loads one side, calls it on tensors of its own, and nothing else.

Calls go round a ring of tensor sets larger than the last cache, and the device is idle between
them: kernels launched ahead of their turn would count their wait as time.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from bench.adapter import Adapter
from bench.ops import OPS
from bench.profiling.request import CALL, CLOCK, TORCH, WARM_CALLS, Asked, Request
from bench.timing.calling_core import CallingCore
from bench.timing.clocks import clock_for

WINDOW_US = 1000.0  # that a loop should last, at the least
WARM_US = 2000.0
SLOWDOWN_MAX, RETAKES = 1.15, 20  # of a loop on a core slowed by others


def tensors_of(asked: Asked, device: str) -> list[list[torch.Tensor]]:
    """As many sets of the row's tensors as it has slots, all with the values of the first."""
    op, dtype = OPS[asked.op], getattr(torch, asked.dtype)

    def empty(name: str) -> torch.Tensor:
        shape, offset = op.shape(name, asked.layout, asked.axes), asked.offsets.get(name, 0)
        memory = torch.empty(offset + math.prod(shape), dtype=dtype, device=device)
        return memory[offset:].view(shape)

    first = {name: empty(name).normal_() for name in op.tensors}
    copies = [
        [empty(name).copy_(values) for name, values in first.items()]
        for _ in range(asked.slots - 1)
    ]
    return [list(first.values()), *copies]


@contextlib.contextmanager
def outside(device: str) -> Iterator[None]:
    """Show an instrument round this process where the profiled calls begin and end."""
    torch.cuda.synchronize(device)
    torch.cuda.cudart().cudaProfilerStart()  # type: ignore[no-untyped-call]
    yield
    torch.cuda.synchronize(device)
    torch.cuda.cudart().cudaProfilerStop()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def recorded(device: str, file: Path) -> Iterator[None]:
    """Write torch.profiler's trace of what runs inside."""
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    if device != "cpu":
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities) as profiler:
        with torch.profiler.record_function("start"):  # the first range of a process takes 4 ms
            pass
        yield
    profiler.export_chrome_trace(str(file))


def mapped_below(folder: str) -> list[str]:
    """Files below a folder that this process has mapped: what was loaded from a build cache."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = {line.split(maxsplit=5)[5] for line in lines if line.count("/")}
    return sorted(one for one in paths if folder and Path(one).is_relative_to(folder))


def run(request: Request) -> list[dict[str, Any]]:
    """Call every row; the answer names those that the side has not, and the libraries it loaded."""
    device = request.device
    if device == "cpu":
        torch.set_num_threads(request.threads)
    else:
        torch.cuda.set_device(device)
    adapter = Adapter(request.side, device)
    answers: list[dict[str, Any]] = []
    for asked in request.rows:
        try:
            adapter.load(asked.op)
        except NotImplementedError as error:
            answers.append({"row": asked.row, "missing": str(error), "libraries": [], "us": []})
            continue
        us = _time_row(adapter, asked, request) if request.recorder == CLOCK else []
        if request.recorder != CLOCK:
            _call_row(adapter, asked, request)
        libraries = mapped_below(request.side.cache)
        answers.append({"row": asked.row, "missing": "", "libraries": libraries, "us": us})
    return answers


def _call_row(adapter: Adapter, asked: Asked, request: Request) -> None:
    device = request.device
    calls = [adapter.bind(asked.op, tensors) for tensors in tensors_of(asked, device)]
    for _ in range(WARM_CALLS):
        calls[-1]()
    whole = (
        recorded(device, request.trace(asked.row)) if request.recorder == TORCH else outside(device)
    )
    with whole:
        for index in range(request.calls):
            _call(calls[index % len(calls)], device, request.recorder)


def _time_row(adapter: Adapter, asked: Asked, request: Request) -> list[float]:
    """Microseconds a call of loops round the ring, with nothing between them but a warm-up.

    Like the judge's, the loops run on a core that nobody slows at that moment: what is compared
    with them was sampled there.
    """
    ring = [adapter.bind(asked.op, tensors) for tensors in tensors_of(asked, request.device)]
    clock = clock_for(request.device)
    clock.warm(ring[-1], WARM_CALLS, WARM_US, WARM_US)
    calls = ring * max(1, math.ceil(WINDOW_US / clock.loop(ring)))
    found: list[float] = []
    with CallingCore(sorted(os.sched_getaffinity(0)), SLOWDOWN_MAX) as host:
        for left in range(request.calls + RETAKES, 0, -1):
            host.settle()
            clock.warm(ring[-1], WARM_CALLS, WARM_US, WARM_US)
            us = clock.loop(calls) / len(calls)
            if left <= request.calls - len(found) or not host.slowed():
                found.append(us)
            if len(found) == request.calls:
                break
    return found


def _call(call: Callable[[], None], device: str, recorder: str) -> None:
    mark = torch.profiler.record_function if recorder == TORCH else torch.cuda.nvtx.range
    with mark(CALL):
        call()
    if device != "cpu":
        torch.cuda.synchronize(device)


def main() -> None:
    """Serve the request whose file is the only argument."""
    request = Request.read(Path(sys.argv[1]))
    answers = run(request)
    request.answer.write_text("".join(json.dumps(one) + "\n" for one in answers))


if __name__ == "__main__":
    main()
