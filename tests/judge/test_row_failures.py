# SPDX-License-Identifier: Apache-2.0
"""What ends a row, and that its records can always be kept."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bench.judge import row as row_module
from bench.judge.contenders import Regime
from bench.record.status import Status
from tests.judge.in_process import Script, corrupt, right
from tests.judge.scripted_row import Judge, admissible
from tests.small_run import ADD_ROW


@pytest.mark.parametrize("side", ["solution", "baseline"])
def test_a_time_below_the_floor_ends_the_row(judge: Judge, script: Script, side: str) -> None:
    script.us[side] = 3.9
    outcome = judge()
    assert outcome.failure is not None
    assert outcome.failure.status is Status.IMPOSSIBLE_TIME
    assert outcome.failure.text.startswith(f"{side}: ")
    admissible(outcome)
    assert not [one for one in outcome.records if one["kind"] == "bench"]


@pytest.mark.parametrize("us", [0.0, -5.0])
def test_a_time_that_is_not_positive_ends_the_row(judge: Judge, script: Script, us: float) -> None:
    script.us["solution"] = us
    outcome = judge()
    assert outcome.failure is not None
    assert outcome.failure.status is Status.IMPOSSIBLE_TIME


def test_a_time_longer_than_the_judge_waited_ends_the_row(judge: Judge, script: Script) -> None:
    script.reply["solution"] = lambda one: dataclasses.replace(one, wall_us=sum(one.us) * 0.99)
    outcome = judge()
    assert outcome.failure is not None
    assert outcome.failure.status is Status.IMPOSSIBLE_TIME
    assert "the judge waited" in outcome.failure.text


def test_a_wrong_element_in_one_late_call_ends_the_row(judge: Judge, script: Script) -> None:
    def late(data: Any, slot: int) -> None:
        sampled = [one for one in script.requests if one.label.startswith("solution")]
        (corrupt((0, 63, 255)) if len(sampled) == 8 and slot == data.case.slots - 1 else right)(
            data, slot
        )

    script.write["solution"] = late
    outcome = judge()
    assert outcome.failure is not None
    assert outcome.failure.status is Status.INCORRECT
    assert "0, 63, 255]" in outcome.failure.text
    admissible(outcome)


@pytest.mark.parametrize("side", ["solution", "baseline"])
def test_a_side_that_is_wrong_is_never_timed(judge: Judge, script: Script, side: str) -> None:
    script.write[side] = corrupt((0, 0, 0))
    outcome = judge(ADD_ROW)
    assert outcome.failure is not None
    assert outcome.failure.status is Status.INCORRECT
    assert not [one for one in outcome.records if one["kind"] == "bench"]
    assert len(script.requests) <= 4
    admissible(outcome)


@pytest.mark.parametrize("room", [0, 3 << 20])
def test_a_row_that_does_not_fit_says_so_and_leaves_an_admissible_record(
    judge: Judge, script: Script, room: int
) -> None:
    script.room = room
    outcome = judge(ADD_ROW, inner_calls_max=2048, window_us=1e6)
    assert outcome.failure is not None
    assert outcome.failure.status is Status.OUT_OF_MEMORY
    assert outcome.checks, "the file must say why the row is missing"
    assert not [one for one in outcome.records if one["kind"] == "bench"]
    admissible(outcome)


@pytest.mark.parametrize("drop", ["marks", "us"])
def test_a_reply_that_leaves_out_a_call_is_refused(judge: Judge, script: Script, drop: str) -> None:
    def short(one: Any) -> Any:
        return dataclasses.replace(one, **{drop: getattr(one, drop)[: 1 if drop == "us" else 0]})

    script.reply["solution"] = short
    assert judge().failure is not None


@pytest.mark.parametrize(("empty_us", "believed"), [(19.0, True), (21.0, False)])
def test_a_loop_is_no_faster_than_as_many_launches_of_nothing(
    judge: Judge, script: Script, monkeypatch: pytest.MonkeyPatch, empty_us: float, believed: bool
) -> None:
    loop = Regime("call", "loop", ring=True, floor="cold", host_bound=True)
    monkeypatch.setattr(row_module, "REGIMES", {"cpu": (*row_module.REGIMES["cpu"], loop)})
    script.us["empty"] = empty_us
    outcome = judge()
    assert (outcome.failure is None) is believed
    if outcome.failure is not None:
        assert outcome.failure.status is Status.IMPOSSIBLE_TIME
        assert "launch nothing" in outcome.failure.text
