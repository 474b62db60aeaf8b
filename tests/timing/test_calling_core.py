# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

from bench.timing.calling_core import CallingCore, loop_ns, stay_on

FAST, SLOW = 50, 95


class Machine:
    """Cores whose fixed loop takes what the test says."""

    def __init__(self, **ns: int) -> None:
        self.ns = {int(name[1:]): value for name, value in ns.items()}
        self.at = -1

    def core(self) -> CallingCore:
        return CallingCore(sorted(self.ns), 1.15, lambda: self.ns[self.at], self._move)

    def _move(self, core: int) -> None:
        self.at = core


def test_it_knows_what_fast_is_though_it_starts_on_a_slowed_core() -> None:
    machine = Machine(c0=SLOW, c1=FAST, c2=SLOW)
    with machine.core() as calling:
        assert calling.core == machine.at == 2
        assert calling.slowed()
        assert calling.settle()
        assert calling.core == machine.at == 1
        assert not calling.slowed()


def test_it_stays_where_it_is_fast_and_moves_on_when_that_ends() -> None:
    machine = Machine(c0=FAST, c1=FAST, c2=FAST)
    with machine.core() as calling:
        assert calling.settle() and calling.core == 2
        machine.ns[2] = SLOW
        assert calling.settle() and calling.core == 1
        machine.ns |= {1: SLOW, 2: FAST, 0: SLOW}
        assert calling.settle() and calling.core == machine.at == 2


def test_when_every_core_is_slowed_it_says_so() -> None:
    machine = Machine(c0=FAST, c1=FAST)
    with machine.core() as calling:
        machine.ns = {0: SLOW, 1: SLOW}
        assert not calling.settle()


def test_one_interrupted_loop_of_three_is_no_slowed_core() -> None:
    readings = iter([FAST] * 20 + [SLOW, SLOW, FAST] + [SLOW] * 3)
    with CallingCore([0], 1.15, lambda: next(readings), lambda _: None) as calling:
        assert not calling.slowed()
        assert calling.slowed()


def test_afterwards_the_judge_may_run_on_all_its_cores_again() -> None:
    before = os.sched_getaffinity(0)
    with CallingCore(sorted(before), 100.0):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
    stay_on(min(before))
    assert os.sched_getaffinity(0) == {min(before)}
    os.sched_setaffinity(0, before)
    assert loop_ns() > 1000
