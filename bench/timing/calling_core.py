# SPDX-License-Identifier: Apache-2.0
"""The core that makes the calls: kept on one that runs at its own speed at this moment.

On a shared host not every core does: beside a busy sibling thread everything takes 1.4 times as
long, whoever is being timed, for tenths of a second to seconds, on half of the cores of one H200
host at any time. The judge runs a fixed loop before and after a sample and compares it with the
fastest seen on any core; no player has a part in it. Of 950 samples of one small row those taken
where the loop was up to 1.3 times slower read 4.82 to 4.91 us in each band of slowness, those
beyond it 6.47 us.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

LOOP = 4000  # turns, about 60 us: long enough to feel a busy sibling, short beside a sample
FIRST_LOOPS = 20  # on each core, to find out what fast is
LOOPS = 3  # of which the fastest counts: a passing interrupt is forgiven


def loop_ns() -> int:
    """Nanoseconds that the fixed loop takes now."""
    started = time.perf_counter_ns()
    for _ in range(LOOP):
        pass
    return time.perf_counter_ns() - started


def stay_on(core: int) -> None:
    """Keep the calling thread on one core."""
    os.sched_setaffinity(0, (core,))


class CallingCore:
    """Where the judge is, and its players are sampled; moves when others slow it down.

    Within a `with` block the judge stays on the core; after it, it may run on all of them again.
    """

    def __init__(
        self,
        cores: Sequence[int],
        slowdown_max: float,
        loop: Callable[[], int] = loop_ns,
        move: Callable[[int], None] = stay_on,
    ) -> None:
        self.cores = list(cores)
        self._slowdown_max = slowdown_max
        self._loop = loop
        self._move = move
        self._best = 0

    def __enter__(self) -> CallingCore:
        readings = []
        for core in self.cores:
            self._move(core)
            readings += [self._loop() for _ in range(FIRST_LOOPS)]
        self._best = min(readings)
        return self

    def __exit__(self, *_: object) -> None:
        os.sched_setaffinity(0, self.cores)

    @property
    def core(self) -> int:
        """The core of this moment."""
        return self.cores[-1]

    def settle(self) -> bool:
        """Move to a core at its own speed; False when none is, after all have been tried."""
        for _ in self.cores:
            if not self.slowed():
                return True
            self.cores.insert(0, self.cores.pop())
            self._move(self.core)
        return not self.slowed()

    def slowed(self) -> bool:
        """Whether the core is slower than its best by more than the policy allows."""
        now = min(self._loop() for _ in range(LOOPS))
        self._best = min(self._best, now)
        return now > self._slowdown_max * self._best
