# SPDX-License-Identifier: Apache-2.0
"""Paired samples of one case, every timed output checked.

In a trial all contenders see the same fresh inputs, in a random order that is recorded; each finds
its outputs freshly poisoned, at an address of its own for every call, and everything it wrote is
compared before the next one runs, and looked at again when all have run. The first turn that is
wrong, or whose time cannot be true, ends the row.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.contenders import HEADLINE, Contender, Regime, RowFailure, Samples, Trial
from bench.judge.floors import Floors
from bench.judge.host_probe import on_cores
from bench.judge.session import Session
from bench.judge.stopping import enough
from bench.judge.turn import Window, bind, fill_inputs, take_turn
from bench.judge.turns import Turns
from bench.judge.verify import Finding
from bench.record.machine import MachineProbe, MachineState
from bench.record.status import Status
from bench.task.config import Benchmark
from bench.task.op import Op

WARM_SLOT = 0  # bound like the others, but never timed


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

    def check(self, contender: Contender) -> tuple[Finding, str]:
        """One turn by itself: the finding and the side's launch plan."""
        case = self.case(1)
        before = fill_inputs(self.session, contender.label, case)
        bound = bind(self.session, contender.label, case)
        if not bound.passed:
            return bound, ""
        return self._turn(contender, case, Window(0, 1), before)[1], bound.text

    def calls_per_sample(self, contenders: Sequence[Contender]) -> int:
        """Warm every contender up; return how many calls fill the window and outgrow the caches."""
        case = self.case(2)
        fastest = float("inf")
        for contender in contenders:
            before = fill_inputs(self.session, contender.label, case)
            self._bind(contender, case)
            repeat, us = 1, 0.0
            while us < self.policy.window_us / 4 and repeat <= self.policy.inner_calls_max:
                us = self._checked(contender, case, self._window(1, 1, repeat), before)[0]
                if contender.compared:  # a floor's calls would fill a window by the thousand
                    fastest = min(fastest, us / repeat)
                repeat *= 4
        slot = self.case(1).bytes_of(INPUTS) + self.case(1).bytes_of(OUTPUTS)
        wanted = max(1, round(self.policy.window_us / fastest), -(-4 * self.cache_bytes // slot))
        return min(wanted, self.policy.inner_calls_max, self._slots_that_fit(contenders) - 1)

    def sample(self, contenders: Sequence[Contender], calls: int) -> Samples:
        """Trials as the policy states in advance; suspect ones are repeated within its budget."""
        case = self.case(1 + calls)
        for contender in contenders:
            self.session.data(contender.label, case)  # all memory first: growing it unbinds
        for contender in contenders:
            self._bind(contender, case)
        with on_cores(self.session.calling_core()):
            return self._trials(contenders, case, calls)

    def _trials(self, contenders: Sequence[Contender], case: Case, calls: int) -> Samples:
        self._trial(contenders, case, calls)  # captures graphs, touches every page: not counted
        trials: list[Trial] = []
        regime = HEADLINE[self.session.device.partition(":")[0]]
        while not enough(self.policy, regime, contenders, trials):
            trials.append(self._trial(contenders, case, calls))
        good = [trial for trial in trials if not trial.marks]
        return Samples(calls, trials, good if len(good) >= self.policy.trials else trials)

    def _trial(self, contenders: Sequence[Contender], case: Case, calls: int) -> Trial:
        trial = Trial()
        states = [self._state()]
        for regime in self.regimes:
            before = fill_inputs(self.session, contenders[0].label, case)
            turn = self.random.sample(list(contenders), len(contenders))
            trial.order[regime.name] = [contender.label for contender in turn]
            trial.us[regime.name] = {}
            window = self._window(
                1, calls if regime.ring else 1, 1 if regime.ring else calls, regime.how
            )
            after: dict[Contender, int] = {}
            for group in [turn] if regime.together else [[contender] for contender in turn]:
                taken = self.turns.samples(group, case, window, regime, before, trial)
                for contender, us in taken.items():
                    after[contender] = self.turns.output_mark(contender, case)
                    trial.us[regime.name][contender.label] = sum(us) / calls
                    if regime.how == "each":
                        singles = trial.calls_us.setdefault(regime.name, {})
                        singles[contender.label] = list(us)
            for contender, mark in after.items():
                if self.turns.output_mark(contender, case) != mark:
                    text = "outputs: expected unchanged after they were compared, got other bytes"
                    raise RowFailure(contender, Finding(Status.LATE_WRITE, text))
            self.floors.check(contenders, regime, trial, contended=self._state().contended)
        states.append(self._state())
        trial.machine = [state.to_record() for state in states]
        reasons = [(*state.throttle_reasons, *state.contention_reasons) for state in states]
        trial.marks = sorted({*trial.marks, *(reason for one in reasons for reason in one)})
        return trial

    def _state(self) -> MachineState:
        return self.probe.read({*self.session.pids, os.getpid()})

    def _window(self, first: int, count: int, repeat: int, how: str = "loop") -> Window:
        policy = self.policy
        return Window(first, count, repeat, how, WARM_SLOT, policy.warmup_calls, policy.warmup_us)

    def _bind(self, contender: Contender, case: Case) -> None:
        bound = bind(self.session, contender.label, case)
        if not bound.passed:
            raise RowFailure(contender, bound)

    def _turn(
        self, contender: Contender, case: Case, window: Window, before: int
    ) -> tuple[tuple[float, ...], Finding]:
        expect = self.turns.expect(contender, before)
        nonce = self.random.getrandbits(16)
        return take_turn(self.session, contender.label, case, window, expect, nonce)

    def _checked(
        self, contender: Contender, case: Case, window: Window, before: int
    ) -> tuple[float, ...]:
        us, finding = self._turn(contender, case, window, before)
        if not finding.passed:
            raise RowFailure(contender, finding)
        return us

    def _slots_that_fit(self, contenders: Sequence[Contender]) -> int:
        case = self.case(1)
        slot = case.bytes_of(INPUTS) + case.bytes_of(OUTPUTS) * len(contenders)
        if self.memory_bytes < 2 * slot:
            text = f"needs {2 * slot >> 20} MiB, {self.memory_bytes >> 20} MiB may be used"
            raise RowFailure(contenders[0], Finding(Status.OUT_OF_MEMORY, text))
        return self.memory_bytes // slot
