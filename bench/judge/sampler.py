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
from bench.judge.verify import Finding, measured
from bench.judge.wanted import Wanted, wanted_outputs
from bench.record.machine import MachineProbe, MachineState
from bench.record.status import Status
from bench.task.config import Benchmark
from bench.task.op import Op
from bench.task.side import SIDES

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
            if contender.side in SIDES and contender.process == 0:
                finding = measured(finding, self.session.data(contender.label, case), (1, 2))
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
        # Captures graphs, touches every page: not counted, and no floor. A page of a fresh virtual
        # machine takes 10 us to be touched, and the stream is the first to touch its outputs'.
        self._trial(contenders, case, size, self.regimes, Floors(least=0))
        device = self.session.device.partition(":")[0]
        trials: list[Trial] = []
        while not enough(self.policy, device, contenders, trials):
            regimes = next_regimes(self.policy, device, self.regimes, trials)
            trials.append(self._trial(contenders, case, size, regimes, self.floors))
        self.floors.check_launches(contenders, self.regimes, trials)
        return Samples(size.calls, trials, counted(self.policy, trials))

    def _trial(
        self,
        contenders: Sequence[Contender],
        case: Case,
        size: SampleSize,
        regimes: Sequence[Regime],
        floors: Floors,
    ) -> Trial:
        trial, calls = Trial(), size.calls
        states = [self._state()]
        for regime in regimes:
            count, repeat = (calls, 1) if regime.ring else (1, calls)
            window = self._window(size.warm_slots, count, repeat, regime.how)
            wanted = self._wanted(case, window, contenders)
            turn = self.random.sample(list(contenders), len(contenders))
            trial.order[regime.name] = [contender.label for contender in turn]
            taken = self.turns.samples(turn, case, window, regime, wanted, trial)
            trial.us[regime.name] = {one.label: sum(us) / calls for one, us in taken.items()}
            if regime.how == "each":
                trial.calls_us[regime.name] = {one.label: list(us) for one, us in taken.items()}
            floors.check(contenders, regime, trial, lambda: self._state().contended)
        states.append(self._state())
        trial.machine = [state.to_record() for state in states]
        reasons = [(*state.throttle_reasons, *state.contention_reasons) for state in states]
        trial.marks = sorted({*trial.marks, *(reason for one in reasons for reason in one)})
        return trial

    def _state(self) -> MachineState:
        return self.probe.read({*self.session.pids, os.getpid()})

    def _window(self, first: int, count: int, repeat: int, how: str = "loop") -> Window:
        """Warm-up calls have the slots before `first`; where there are none, calls are too long."""
        policy = self.policy
        if first == 0:
            return Window(first, count, repeat, how)
        warm = (policy.warmup_calls, policy.warmup_us, policy.warmup_us_max)
        return Window(first, count, repeat, how, WARM_SLOT, *warm)

    def _bind(self, contender: Contender, case: Case) -> None:
        bound = bind(self.session, contender.label, case)
        if not bound.passed:
            raise RowFailure(contender, bound)

    def _wanted(self, case: Case, window: Window, contenders: Sequence[Contender]) -> Wanted:
        """Fresh inputs for all contenders, and what their outputs must then be."""
        inputs = fill_inputs(self.session, contenders[0].label, case)
        roundings = {contender.rounding for contender in contenders}
        nonce = self.random.getrandbits(16)
        return wanted_outputs(self.session, case, window, inputs, roundings, nonce)

    def _turn(
        self, contender: Contender, case: Case, window: Window, wanted: Wanted
    ) -> tuple[tuple[float, ...], Finding]:
        self.turns.poison(contender, case, wanted)
        reply = ask(self.session, contender.label, window)
        if isinstance(reply, Finding):
            return (), reply
        if not contender.compared:
            return reply.us, Finding(Status.PASSED, "")
        return reply.us, self.turns.examine(contender, case, window, wanted, reply)[0]

    def _slots_that_fit(self, contenders: Sequence[Contender]) -> int:
        case = self.case(1)
        images = 1 + len({contender.rounding for contender in contenders})
        slot = 2 * case.bytes_of(INPUTS) + case.bytes_of(OUTPUTS) * (len(contenders) + images)
        if self.memory_bytes < 2 * slot:
            text = f"needs {2 * slot >> 20} MiB, {self.memory_bytes >> 20} MiB may be used"
            raise RowFailure(contenders[0], Finding(Status.OUT_OF_MEMORY, text))
        return self.memory_bytes // slot
