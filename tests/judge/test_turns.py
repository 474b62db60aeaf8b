# SPDX-License-Identifier: Apache-2.0
"""A round of samples: what is taken again, and what of a contender's bytes is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from bench.judge import turns as turns_module
from bench.judge.case import Case
from bench.judge.compare import Bounds
from bench.judge.contenders import Contender, Regime, RowFailure, Trial
from bench.judge.data import CaseData
from bench.judge.oracle import expected_output, upcast
from bench.judge.turn import Window, bind, fill_inputs
from bench.judge.turns import Turns
from bench.judge.wanted import wanted_outputs
from bench.ops import OPS
from bench.record.status import Status
from bench.task.arithmetic import Rounding
from bench.task.config import load_config
from bench.timing.calling_core import CallingCore
from tests.judge.in_process import Script, right, session_class
from tests.small_run import ROOT

CASE = Case(OPS["residual_gate_add"], "full", {"B": 1, "L": 3, "D": 8}, "bfloat16", 3, 256)
BASELINE = Contender("baseline", Rounding.EACH_STEP, 0)
MINE = Contender("solution", Rounding.ONCE, 0)
EXACT = Contender("solution", Rounding.EACH_STEP, 0)
COLD = Regime("cold", "graph", ring=True, floor="cold")
CALL = Regime("call", "loop", ring=True, floor="cold", host_bound=True)
CORES = (0, 1)


class Host(CallingCore):
    """Two cores that are as slow as a test says, sample by sample, and time that passes at once."""

    def __init__(self, slowed: dict[int, list[bool]]) -> None:
        super().__init__(CORES, 1.15)
        self._slowed = {core: iter(slowed.get(core, ())) for core in CORES}
        self._move = lambda core: self.moves.append(core)
        self.moves: list[int] = []

    def slowed(self) -> bool:
        return next(self._slowed[self.core], False)


Round = Callable[..., Any]


@pytest.fixture
def play(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Round]:
    monkeypatch.setattr(turns_module, "ALL_SLOWED_S", 0)
    config = load_config(ROOT / "config.toml")

    script.write["solution"] = once

    def run(
        *contenders: Contender,
        slowed: dict[int, list[bool]] | None = None,
        cold_us: float = 1.0,
        retakes: int = 3,
    ) -> tuple[Trial, dict[Contender, tuple[float, ...]]]:
        policy = config.override({"benchmark.retakes": retakes}).benchmark
        host = Host(slowed or {})
        with session_class(script)("cpu", {}, 5.0, 3) as session:
            session.seat([one.label for one in contenders])
            for one in contenders:
                bind(session, one.label, CASE)
            window, bounds = Window(1, 2), Bounds(0.05, 0.05, 1)
            exact = Bounds(0.05, 0.05, 0)
            chosen = {Rounding.ONCE: bounds, Rounding.EACH_STEP: exact}
            turns = Turns(session, policy, lambda one: chosen[one.rounding], 64, host)
            inputs = fill_inputs(session, contenders[0].label, CASE)
            wanted = wanted_outputs(session, CASE, window, inputs, chosen, 5)
            usual, script.us = script.us, dict.fromkeys(script.us, cold_us)
            turns.samples(contenders, CASE, window, COLD, wanted, Trial())
            script.us = usual
            script.requests.clear()
            trial = Trial()
            return trial, turns.samples(contenders, CASE, window, CALL, wanted, trial)

    yield run


def test_a_sample_on_a_slowed_core_is_taken_again_and_stays_in_the_record(
    play: Round, script: Script
) -> None:
    trial, found = play(MINE, slowed={1: [False, True]})
    assert trial.contended_us == {MINE.label: [20.0]}
    assert len(script.requests) == 2 and all(one.poisoned for one in script.requests)
    assert found == {MINE: (20.0,)}
    assert trial.marks == []


def test_a_slowed_core_is_left_before_the_sample(play: Round, script: Script) -> None:
    trial, _ = play(MINE, slowed={1: [True] * 9})
    assert len(script.requests) == 1
    assert script.pinned == [(MINE.label, 0)]
    assert not trial.contended_us


def test_when_the_budget_is_spent_the_slow_sample_counts_and_the_trial_is_marked(
    play: Round, script: Script
) -> None:
    trial, _ = play(MINE, slowed=dict.fromkeys(CORES, [True] * 40), retakes=2)
    assert len(script.requests) == 3
    assert trial.marks == ["host core slowed by others"]


@pytest.mark.parametrize("cold_us", [9.0, 10.0])
def test_where_the_device_is_the_limit_a_slowed_core_changes_nothing(
    play: Round, script: Script, cold_us: float
) -> None:
    trial, _ = play(MINE, slowed=dict.fromkeys(CORES, [True] * 40), cold_us=cold_us)
    assert len(script.requests) == 1
    assert not trial.contended_us


def once(data: CaseData, slot: int) -> None:
    inputs = [data.view(name)[slot] for name in data.case.op.inputs]
    (value,) = expected_output(data.case.op, Rounding.ONCE, inputs, upcast(data.case.dtype))
    data.view("out")[slot].copy_(value)


def step(data: CaseData, slot: int) -> None:
    once(data, slot)
    data.view("out")[slot, 0, 0, 3:4].view(torch.int16).add_(1)


def test_a_result_that_differs_is_compared_with_the_bound_of_its_rounding(
    play: Round, script: Script
) -> None:
    script.write["solution"] = step
    play(MINE)
    with pytest.raises(RowFailure) as failure:
        play(EXACT)
    assert failure.value.finding.status is Status.INCORRECT


@pytest.mark.parametrize("mine", [once, step])
def test_bytes_that_change_after_they_were_looked_at_are_a_late_write(
    play: Round, script: Script, mine: Any
) -> None:
    seen: list[CaseData] = []

    def first(data: CaseData, slot: int) -> None:
        mine(data, slot)
        seen.append(data)

    def second(data: CaseData, slot: int) -> None:
        right(data, slot)
        seen[0].outputs[0] = 77  # a byte between the guards and nothing's

    script.write |= {"solution": first, "baseline": second}
    with pytest.raises(RowFailure) as failure:
        play(MINE, BASELINE)
    assert failure.value.contender == MINE
    assert failure.value.finding.status is Status.LATE_WRITE


def test_whoever_changes_an_input_is_named_though_all_results_are_right(
    play: Round, script: Script
) -> None:
    def change(data: CaseData, slot: int) -> None:
        right(data, slot)
        data.view("gate")[slot].add_(1)

    script.write["solution"] = change
    with pytest.raises(RowFailure) as failure:
        play(BASELINE, EXACT)
    assert failure.value.contender == EXACT
    assert failure.value.finding.status is Status.INPUT_MODIFIED
