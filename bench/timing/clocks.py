# SPDX-License-Identifier: Apache-2.0
"""How long a list of calls took; microseconds, as the instrument gave them."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import torch

Call = Callable[[], object]


class Clock(Protocol):
    """One instrument; `name` is recorded with every sample that it took."""

    name: str

    def loop(self, calls: Sequence[Call]) -> float:
        """Microseconds from before the first call until the work of the last one is done."""

    def each(self, calls: Sequence[Call]) -> list[float]:
        """Microseconds of every call by itself."""

    def graph(self, calls: Sequence[Call], warm: int) -> float:
        """Device microseconds of all calls captured as one graph, after `warm` replays."""

    def forget(self) -> None:
        """Drop captured graphs: their calls are bound to memory that may go."""


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class CudaEventClock:
    """Events on the current stream: `loop` includes the host's launch cost where that is longer."""

    name = "cuda_event"

    def __init__(self, device: str) -> None:
        self._stream = torch.cuda.current_stream(device)
        self._graphs: dict[int, tuple[Sequence[Call], torch.cuda.CUDAGraph]] = {}

    def loop(self, calls: Sequence[Call]) -> float:
        """See Clock.loop."""
        start, end = self._events(2)
        self._stream.synchronize()
        with _no_garbage_collection():
            start.record(self._stream)
            for call in calls:
                call()
            end.record(self._stream)
        end.synchronize()
        return float(start.elapsed_time(end)) * 1e3

    def each(self, calls: Sequence[Call]) -> list[float]:
        """See Clock.each."""
        events = self._events(len(calls) + 1)
        self._stream.synchronize()
        with _no_garbage_collection():
            events[0].record(self._stream)
            for call, event in zip(calls, events[1:], strict=True):
                call()
                event.record(self._stream)
        events[-1].synchronize()
        return [float(a.elapsed_time(b)) * 1e3 for a, b in itertools.pairwise(events)]

    def graph(self, calls: Sequence[Call], warm: int) -> float:
        """See Clock.graph."""
        graph = self._captured(calls)
        for _ in range(warm):
            graph.replay()
        start, end = self._events(2)
        self._stream.synchronize()
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

    def loop(self, calls: Sequence[Call]) -> float:
        """See Clock.loop."""
        with _no_garbage_collection():
            start = time.perf_counter_ns()
            for call in calls:
                call()
            end = time.perf_counter_ns()
        return (end - start) / 1e3

    def each(self, calls: Sequence[Call]) -> list[float]:
        """See Clock.each."""
        return [self.loop([call]) for call in calls]

    def graph(self, calls: Sequence[Call], warm: int) -> float:
        """A CPU has no graphs: an error, not another number."""
        raise NotImplementedError("graph: expected a CUDA device, got cpu; sample a loop instead")

    def forget(self) -> None:
        """Nothing is captured on a CPU."""


def clock_for(device: str) -> Clock:
    """Return the instrument for a device, on its current stream."""
    return CudaEventClock(device) if device.startswith("cuda") else WallClock()
