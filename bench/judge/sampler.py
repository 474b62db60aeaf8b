# SPDX-License-Identifier: Apache-2.0
"""Paired samples of one case, every timed output checked.

In a trial all contenders see the same fresh inputs, in a random order that is recorded; each finds
its outputs freshly poisoned, at an address of its own for every call, and everything it wrote is
compared before the next one runs, and looked at again when all have run. The first turn that is
wrong, or whose time cannot be true, ends the row.
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.contenders import Contender, Regime, RowFailure, Samples, Trial
from bench.judge.floors import Floors
from bench.judge.session import Session
from bench.judge.stopping import counted, enough, next_regimes
from bench.judge.turn import Window, ask, bind, fill_inputs
from bench.judge.turns import Turns
from bench.judge.verify import Finding
from bench.judge.wanted import Wanted, wanted_outputs
from bench.record.machine import MachineProbe, MachineState
from bench.record.status import Status
from bench.task.config import Benchmark
from bench.task.op import Op

WARM_SLOT = 0  # bound like the others, but never timed


@dataclass(frozen=True)
class SampleSize:
    """What one sample consists of."""

    calls: int
    warm_slots: int
    """1: warm-up calls have a slot of their own; 0: a single call outlasts the warm-up"""


@dataclass
class Sampler:
    """Takes the samples of one row in one session."""

    session: Session
    op: Op
    layout: str
    axes: Mapping[str, int]
    dtype: str
    turns: Turns
    policy: Benchmark
    guard_bytes: int
    memory_bytes: int
    """what the slots of all contenders may take together"""
    cache_bytes: int
    """the last cache before memory; a cold ring is four times as large"""
    random: random.Random
    probe: MachineProbe
    regimes: Sequence[Regime]
    floors: Floors

    def case(self, slots: int) -> Case:
        """The row's case with so many slots."""
        return Case(self.op, self.layout, self.axes, self.dtype, slots, self.guard_bytes)

    def check(self, contenders: Sequence[Contender]) -> Iterator[tuple[Contender, Finding, str]]:
        """One call of each by itself, on the same inputs: the finding and the launch plan."""
        case, window = self.case(2), Window(1, 1)
        wanted = self._wanted(case, window, contenders)
        for contender in contenders:
            bound = bind(self.session, contender.label, case)
            finding = bound
            if bound.passed:
                finding = self._turn(contender, case, window, wanted)[1]
            yield contender, finding, bound.text if bound.passed else ""

    def size(self, contenders: Sequence[Contender]) -> SampleSize:
        """Warm every contender up; find how many calls fill the window and outgrow the caches."""
        case = self.case(2)
        wanted = self._wanted(case, self._window(1, 1, 1), contenders)
        fastest = float("inf")
        for contender in contenders:
            repeat, us = 1, 0.0
            while us < self.policy.window_us / 4 and repeat <= self.policy.inner_calls_max:
                times, finding = self._turn(contender, case, self._window(1, 1, repeat), wanted)
                if not finding.passed:
                    raise RowFailure(contender, finding)
                us = times[0]
                if contender.compared:  # a floor's calls would fill a window by the thousand
                    fastest = min(fastest, us / repeat)
                repeat *= 4
        slot = self.case(1).bytes_of(INPUTS) + self.case(1).bytes_of(OUTPUTS)
        calls = max(round(self.policy.window_us / fastest), -(-4 * self.cache_bytes // slot))
        calls = min(calls, self.policy.inner_calls_max, self._slots_that_fit(contenders) - 1)
        return SampleSize(calls, 1 if fastest < self.policy.warmup_us_max else 0)

    def sample(self, contenders: Sequence[Contender], size: SampleSize) -> Samples:
        """Trials as the policy states in advance; suspect ones are repeated within its budget."""
        case = self.case(size.warm_slots + size.calls)
        for contender in contenders:
            self.session.data(contender.label, case)  # all memory first: growing it unbinds
        for contender in contenders:
            self._bind(contender, case)
        with self.turns.host or contextlib.nullcontext():
            return self._trials(contenders, case, size)

    def _trials(self, contenders: Sequence[Contender], case: Case, size: SampleSize) -> Samples:
        # Captures graphs, touches every page: not counted.
        self._trial(contenders, case, size, self.regimes)
        device = self.session.device.partition(":")[0]
        trials: list[Trial] = []
        while not enough(self.policy, device, contenders, trials):
            regimes = next_regimes(self.policy, device, self.regimes, trials)
            trials.append(self._trial(contenders, case, size, regimes))
        self.floors.check_launches(contenders, self.regimes, trials)
        good = [trial for trial in trials if not trial.marks]
        return Samples(size.calls, trials, good if len(good) >= self.policy.trials else trials)
        return Samples(size.calls, trials, counted(self.policy, trials))
