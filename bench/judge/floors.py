# SPDX-License-Identifier: Apache-2.0
"""No call is faster than the device moves its bytes, or than a launch: such a time is not true."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.judge.contenders import Contender, Regime, RowFailure, Trial
from bench.judge.verify import Finding
from bench.record.status import Status


@dataclass
class Floors:
    """The least times in which a row's bytes have been moved, and what is still believed."""

    least: float
    """share of the floor below which a time is not believed"""
    fastest_us: float = 0.0
    """what no machine of this kind can undercut, from bandwidth that the judge measured itself"""
    _us: dict[str, float] = field(default_factory=dict, init=False)
    """floor regime -> microseconds a call"""

    def check(
        self,
        contenders: Sequence[Contender],
        regime: Regime,
        trial: Trial,
        contended: Callable[[], bool],
    ) -> None:
        """Lower the floor by this trial's; RowFailure for the first time that undercuts it.

        A loop's average says nothing of its calls, so single ones are held to the floor too: all
        but a tenth of them, since a host that stalls lets the next launches catch up.
        """
        (stream,) = (one for one in contenders if one.side == "stream")
        if regime.floor == regime.name:
            singles = trial.calls_us.get(regime.name, {}).get(stream.label)
            seen = min(singles or [trial.us[regime.name][stream.label]])
            self._us[regime.name] = min(seen, self._us.get(regime.name, seen))
        floor = self._us.get(regime.floor, self.fastest_us)
        if self.fastest_us and contended():
            # Threads that wait for a core make a CPU's streaming floor look high.
            floor = min(floor, self.fastest_us)
        for one in contenders:
            us = _least_us(trial, regime, one)
            if one.compared and us < self.least * floor:
                text = (
                    f"{us:.2f} us a call in the {regime.name} regime cannot be true: to move its"
                    f" bytes takes {floor:.2f} us, and less than {self.least:g} of that is not"
                    " believed"
                )
                raise RowFailure(one, Finding(Status.IMPOSSIBLE_TIME, text))

    def check_launches(
        self, contenders: Sequence[Contender], regimes: Sequence[Regime], trials: Sequence[Trial]
    ) -> None:
        """RowFailure where a loop's calls took less than as many launches of nothing at their best.

        A loop's outputs are looked at when it is over: one launch could do the work of all its
        calls. On an H200 no honest median was below 1.18 times the fastest empty call of its row.
        """
        looped = [one.name for one in regimes if one.host_bound and one.how == "loop"]
        empties = [one for one in contenders if one.side == "empty"]
        for name in looped if empties else ():
            taken = [trial.us[name] for trial in trials if name in trial.us]
            least = min(us[one.label] for us in taken for one in empties)
            for one in contenders:
                us = float(np.median([us[one.label] for us in taken]))
                if one.compared and us < self.least * least:
                    text = (
                        f"{us:.2f} us a call in the {name} regime cannot be true: to launch nothing"
                        f" takes {least:.2f} us, and less than {self.least:g} of that is not"
                        " believed"
                    )
                    raise RowFailure(one, Finding(Status.IMPOSSIBLE_TIME, text))


def _least_us(trial: Trial, regime: Regime, one: Contender) -> float:
    """A trial's time a call; of single calls the one that nine in ten exceed."""
    if regime.how == "each":
        return float(np.percentile(trial.calls_us[regime.name][one.label], 10))
    return trial.us[regime.name][one.label]


def fastest_cpu_us(moved: int, cores: int) -> float:
    """Microseconds in which all cores could move so many bytes if each had them in its own cache.

    Timed on one core over a quarter of a megabyte, the best of many: load does not raise it.
    """
    source, target = np.ones(1 << 17, dtype=np.uint8), np.empty(1 << 17, dtype=np.uint8)
    best = float("inf")
    for _ in range(500):
        started = time.perf_counter_ns()
        np.copyto(target, source)
        best = min(best, time.perf_counter_ns() - started)
    bytes_a_ns = 2 * source.size / best
    return moved / (bytes_a_ns * cores) / 1e3
