# SPDX-License-Identifier: Apache-2.0
"""How long a list of calls took; microseconds, as the instrument gave them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import torch

Call = Callable[[], object]
WARM_CHUNK = 10  # calls between two looks at the clock; a queue of more would outlast the warm-up


class Clock(Protocol):
    """One instrument; `name` is recorded with every sample that it took."""

    name: str

    def warm(self, call: Call, calls: int, us: float, us_max: float) -> None:
        """Run a call for `us`, and until it ran `calls` times or, after the first, `us_max` passed.

        The last ones may still be under way after.
        """

    def loop(self, calls: Sequence[Call]) -> float:
        """Microseconds from the end of earlier work until the work of the last call is done."""

    def each(self, calls: Sequence[Call], after: Sequence[Call]) -> list[float]:
        """Microseconds of every call by itself; `after[i]` follows call i in stream order."""

    def graph(self, calls: Sequence[Call]) -> float:
        """Device microseconds of all calls captured as one graph."""

    def forget(self) -> None:
        """Drop captured graphs: their calls are bound to memory that may go."""


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _warm(chunk: Callable[[], int], calls: int, us: float, us_max: float) -> None:
    """Run chunks, each of which says how many calls it made, as Clock.warm states."""
    started = time.perf_counter_ns()
    done, passed = 0, 0.0
    while passed < us or (done < calls and (not done or passed < us_max)):
        done += chunk()
        passed = (time.perf_counter_ns() - started) / 1e3


class CudaEventClock:
    """Events on the current stream: `loop` includes the host's launch cost where that is longer."""

    name = "cuda_event"

    def __init__(self, device: str) -> None:
        self._stream = torch.cuda.current_stream(device)
        self._graphs: dict[int, tuple[Sequence[Call], torch.cuda.CUDAGraph]] = {}

    def warm(self, call: Call, calls: int, us: float, us_max: float) -> None:
        """See Clock.warm."""

        def chunk() -> int:
            self._stream.synchronize()
            for _ in range(WARM_CHUNK):
                call()
            return WARM_CHUNK

        _warm(chunk, calls, us, us_max)

    def loop(self, calls: Sequence[Call]) -> float:
        """See Clock.loop.

        The stream is not drained before the first event: warm calls are still running, so a
        device-bound sample holds no launch gap, and a launch-bound one starts in steady state.
        """
        start, end = self._events(2)
        with _no_garbage_collection():
            start.record(self._stream)
            for call in calls:
                call()
            end.record(self._stream)
        end.synchronize()
        return float(start.elapsed_time(end)) * 1e3

    def each(self, calls: Sequence[Call], after: Sequence[Call]) -> list[float]:
        """See Clock.each."""
        starts, ends = self._events(len(calls)), self._events(len(calls))
        with _no_garbage_collection():
            for call, follow, start, end in zip(calls, after, starts, ends, strict=True):
                start.record(self._stream)
                call()
                end.record(self._stream)
                follow()
        self._stream.synchronize()
        return [float(a.elapsed_time(b)) * 1e3 for a, b in zip(starts, ends, strict=True)]

    def graph(self, calls: Sequence[Call]) -> float:
        """See Clock.graph; as in `loop`, earlier work runs on while the graph is launched."""
        graph = self._captured(calls)
        start, end = self._events(2)
        start.record(self._stream)
        graph.replay()
        end.record(self._stream)
        end.synchronize()
        return float(start.elapsed_time(end)) * 1e3

    def forget(self) -> None:
        """See Clock.forget."""
        self._graphs.clear()

    def _captured(self, calls: Sequence[Call]) -> torch.cuda.CUDAGraph:
        if id(calls) not in self._graphs:
            self._stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self._stream):
                for call in calls:
                    call()
            self._graphs[id(calls)] = calls, graph  # holding `calls` keeps its id taken
        return self._graphs[id(calls)][1]

    def _events(self, count: int) -> list[torch.cuda.Event]:
        return [
            torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            for _ in range(count)
        ]


class WallClock:
    """The host's monotonic clock; a call on a CPU is over when it returns."""

    name = "wall_clock"

    def warm(self, call: Call, calls: int, us: float, us_max: float) -> None:
        """See Clock.warm."""

        def one() -> int:
            call()
            return 1

        _warm(one, calls, us, us_max)

    def loop(self, calls: Sequence[Call]) -> float:
        """See Clock.loop."""
        with _no_garbage_collection():
            start = time.perf_counter_ns()
            for call in calls:
                call()
            end = time.perf_counter_ns()
        return (end - start) / 1e3

    def each(self, calls: Sequence[Call], after: Sequence[Call]) -> list[float]:
        """See Clock.each."""
        us = []
        for call, follow in zip(calls, after, strict=True):
            us.append(self.loop([call]))
            follow()
        return us

    def graph(self, calls: Sequence[Call]) -> float:
        """A CPU has no graphs: an error, not another number."""
        raise NotImplementedError("graph: expected a CUDA device, got cpu; sample a loop instead")

    def forget(self) -> None:
        """Nothing is captured on a CPU."""


TIMER = {"cuda": CudaEventClock.name, "cpu": WallClock.name}


def clock_for(device: str) -> Clock:
    """Return the instrument for a device, on its current stream."""
    return CudaEventClock(device) if device.startswith("cuda") else WallClock()
