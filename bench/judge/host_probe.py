# SPDX-License-Identifier: Apache-2.0
"""Whether the core that makes the calls runs at its own speed at this moment.

On a shared host it does not always: a busy sibling thread makes everything on it 1.4 times slower,
for milliseconds or for seconds, whoever is being timed. The judge runs a fixed loop on that core
before and after a sample and compares it with the fastest seen; no player has a part in it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

LOOP = 4000  # turns, about 60 us: long enough to feel a busy sibling, short beside a sample


def loop_ns() -> int:
    """Nanoseconds that the fixed loop takes now."""
    started = time.perf_counter_ns()
    for _ in range(LOOP):
        pass
    return time.perf_counter_ns() - started


class HostProbe:
    """Compares the loop with its fastest run so far."""

    def __init__(self, loop: Callable[[], int] = loop_ns) -> None:
        self._loop = loop
        self._best = min(loop() for _ in range(200))

    def slowdown(self) -> float:
        """How many times slower than its best the core is now; a passing interrupt is forgiven."""
        now = min(self._loop() for _ in range(2))
        self._best = min(self._best, now)
        return now / self._best


@contextmanager
def on_cores(cores: Sequence[int]) -> Iterator[None]:
    """Keep the judge on these cores meanwhile; an empty list changes nothing."""
    before = os.sched_getaffinity(0)
    if cores:
        os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
