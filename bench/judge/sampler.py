# SPDX-License-Identifier: Apache-2.0
"""Paired samples of one case, every timed output checked.

In a trial all contenders see the same fresh inputs, in a random order that is recorded; each finds
its outputs freshly poisoned, at an address of its own for every call, and everything it wrote is
compared before the next one runs. The first turn that is wrong, or whose time cannot be true, ends
the row.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.session import Session
from bench.judge.turn import Expectation, Window, bind, fill_inputs, take_turn
from bench.judge.verify import Finding
from bench.record.status import Status
from bench.task.config import Benchmark
from bench.task.op import Op, Rounding

WARM_SLOT = 0  # bound like the others, but never timed


@dataclass(frozen=True)
class Contender:
    """One process of one side."""

    side: str
    rounding: Rounding
    process: int

    @property
    def label(self) -> str:
        """Its name in the session and in the record."""
        return f"{self.side} {self.rounding.value} {self.process}"


class RowFailure(Exception):
    """Why a row ended without a result."""

    def __init__(self, contender: Contender, finding: Finding) -> None:
        super().__init__(f"{contender.side}: {finding.text}")
        self.contender = contender
        self.finding = finding


@dataclass
class Samples:
    """Raw samples of one regime: label -> microseconds a call, one number a trial."""

    regime: str
    calls: int
    us: dict[str, list[float]] = field(default_factory=dict)
    order: list[list[str]] = field(default_factory=list)


@dataclass
class Sampler:
    """Takes the samples of one row in one session."""

    session: Session
    op: Op
    layout: str
    axes: Mapping[str, int]
    dtype: str
    bounds: Mapping[Rounding, Bounds]
    policy: Benchmark
    guard_bytes: int
    memory_bytes: int
    """what the slots of all contenders may take together"""
    random: random.Random

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
        """Warm every contender up; return how many calls of the fastest fill the window."""
        case = self.case(2)
        fastest = float("inf")
        for contender in contenders:
            before = fill_inputs(self.session, contender.label, case)
            self._bind(contender, case)
            repeat, us = 1, 0.0
            while us < self.policy.window_us / 4 and repeat <= self.policy.inner_calls_max:
                window = Window(1, 1, repeat, self._warm)
                us = self._checked_turn(contender, case, window, before)
                fastest = min(fastest, us / repeat)
                repeat *= 4
        wanted = max(1, round(self.policy.window_us / fastest))
        return min(wanted, self.policy.inner_calls_max, self._slots_that_fit(contenders) - 1)

    def sample(self, contenders: Sequence[Contender], calls: int) -> Samples:
        """All trials of the call regime: a clock round a loop of calls on slots of their own."""
        case = self.case(1 + calls)
        for contender in contenders:
            self.session.data(contender.label, case)  # all memory first: growing it unbinds
        for contender in contenders:
            self._bind(contender, case)
        samples = Samples("call", calls, {contender.label: [] for contender in contenders})
        window = Window(1, calls, 1, self._warm)
        for _ in range(self.policy.trials):
            before = fill_inputs(self.session, contenders[0].label, case)
            turn = self.random.sample(list(contenders), len(contenders))
            samples.order.append([contender.label for contender in turn])
            for contender in turn:
                us = self._checked_turn(contender, case, window, before)
                samples.us[contender.label].append(us / calls)
        return samples

    @property
    def _warm(self) -> tuple[int, ...]:
        return (WARM_SLOT,) * self.policy.warmup_calls

    def _bind(self, contender: Contender, case: Case) -> None:
        bound = bind(self.session, contender.label, case)
        if not bound.passed:
            raise RowFailure(contender, bound)

    def _turn(
        self, contender: Contender, case: Case, window: Window, before: int
    ) -> tuple[tuple[float, ...], Finding]:
        expect = Expectation(contender.rounding, self.bounds[contender.rounding], before)
        nonce = self.random.getrandbits(16)
        return take_turn(self.session, contender.label, case, window, expect, nonce)

    def _checked_turn(self, contender: Contender, case: Case, window: Window, before: int) -> float:
        us, finding = self._turn(contender, case, window, before)
        if not finding.passed:
            raise RowFailure(contender, finding)
        return us[0]

    def _slots_that_fit(self, contenders: Sequence[Contender]) -> int:
        case = self.case(1)
        slot = case.bytes_of(INPUTS) + case.bytes_of(OUTPUTS) * len(contenders)
        if self.memory_bytes < 2 * slot:
            text = f"needs {2 * slot >> 20} MiB, {self.memory_bytes >> 20} MiB may be used"
            raise RowFailure(contenders[0], Finding(Status.OUT_OF_MEMORY, text))
        return self.memory_bytes // slot


def memory_budget(device: str, fraction: float) -> int:
    """Bytes that a row may take: a fraction of what is free now."""
    if device.startswith("cuda"):
        free, _ = torch.cuda.mem_get_info(device)
        return int(free * fraction)
    lines = Path("/proc/meminfo").read_text().splitlines()
    (available,) = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return int(int(available) * 1024 * fraction)
