# SPDX-License-Identifier: Apache-2.0
"""A row from its checks to its record, with players that follow a script and a clock that does."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from bench.judge.contenders import FLOORS, REGIMES
from bench.judge.reply import Reply
from tests.judge.in_process import Request, Script
from tests.judge.scripted_row import Judge, admissible, bench, trials


def test_the_speedup_is_the_ratio_of_what_the_clock_said(judge: Judge) -> None:
    outcome = judge()
    admissible(outcome)
    for regime in bench(outcome)["regimes"].values():
        assert regime["baseline"]["median_us"] == pytest.approx(20)
        assert regime["solution"]["median_us"] == pytest.approx(10)
        assert regime["speedup"] == pytest.approx({"value": 2, "low": 2, "high": 2})
        assert regime["verdict"] == "FAST"
    assert bench(outcome)["plan"] == "plan of solution each_step 0"


def test_a_stream_that_touches_its_pages_for_the_first_time_sets_no_floor(
    judge: Judge, script: Script
) -> None:
    late = iter([30.0] * len(REGIMES["cpu"]))  # one sample a regime, in the trial before the first

    def first_touch(one: Reply) -> Reply:
        slower = next(late, 1.0) if len(one.us) > 1 else 1.0  # sizing asks for one number
        return dataclasses.replace(one, us=tuple(us * slower for us in one.us))

    script.reply["stream"] = first_touch
    assert judge().failure is None
    assert next(late, None) is None, "the script was played"


def test_every_request_finds_its_outputs_poisoned(judge: Judge, script: Script) -> None:
    judge()
    judged = [one for one in script.requests if not one.label.startswith(FLOORS)]
    assert judged and all(one.poisoned for one in judged)


def test_each_trial_has_fresh_inputs_that_all_contenders_share(
    judge: Judge, script: Script
) -> None:
    outcome = judge()
    orders = [order for trial in trials(outcome) for order in trial["order"].values()]
    contenders = len(orders[0])
    sampled = script.requests[-contenders * len(orders) :]
    groups = [sampled[at : at + contenders] for at in range(0, len(sampled), contenders)]
    for group in groups:
        assert len({one.inputs for one in group}) == 1, "all saw the same values"
        assert len({one.label for one in group}) == contenders
    assert len({group[0].inputs for group in groups}) == len(groups), "never the same twice"


def test_the_order_is_random_recorded_and_the_one_that_was_taken(
    judge: Judge, script: Script
) -> None:
    outcome = judge()
    recorded = [order for trial in trials(outcome) for order in trial["order"].values()]
    taken = [one.label for one in script.requests[-sum(map(len, recorded)) :]]
    assert taken == [label for order in recorded for label in order]
    assert len({tuple(order) for order in recorded}) > len(recorded) / 2
    assert {order[0].partition(" ")[0] for order in recorded} >= {"baseline", "solution"}
    other = [order for trial in trials(judge(seed=6)) for order in trial["order"].values()]
    assert other != recorded


def test_the_single_calls_are_those_of_the_window(judge: Judge, script: Script) -> None:
    outcome = judge()
    for name, regime in bench(outcome)["regimes"].items():
        singles = trials(outcome)[0]["calls_us"][name]
        assert {len(us) for us in singles.values()} == {regime["calls_per_sample"]}
        assert regime["calls_per_sample"] == 6, "as many as fill the window of 60 us"


def test_requests_say_nothing_of_why_they_are_made(judge: Judge, script: Script) -> None:
    judge()
    assert {one.how for one in script.requests} <= {"loop", "each", "graph"}
    assert Request.__dataclass_fields__.keys().isdisjoint({"seed", "expected", "verdict"})


def test_trials_beyond_the_first_take_the_headlines_regime_alone_until_it_is_sure(
    judge: Judge, script: Script
) -> None:
    drift = itertools.count()
    script.reply["solution"] = lambda one: dataclasses.replace(
        one, us=tuple(us * (1 + next(drift) % 7 / 10) for us in one.us)
    )
    outcome = judge(trials=3, **{"trials_max.cpu": 6})
    taken = [list(trial["us"]) for trial in trials(outcome)]
    assert taken == [["cold", "warm"]] * 3 + [["cold"]] * 3
    regimes = bench(outcome)["regimes"]
    assert [len(regimes[name]["solution"]["us"][0]) for name in ("cold", "warm")] == [6, 3]
    script.reply.clear()
    assert len(trials(judge(trials=3, **{"trials_max.cpu": 6}))) == 3


def test_the_checks_of_both_sides_hold_the_numerics_of_the_slot_that_was_called(
    judge: Judge, script: Script
) -> None:
    outcome = judge()
    assert {check.side for check in outcome.checks} == {"baseline", "solution"}
    for check in outcome.checks:
        numerics = check.record()["numerics"]
        assert numerics["elements"] == check.finding.elements == 64 * 256
        assert numerics["worst_at"][0] == 1, "the other slot holds poison"
        assert numerics["not_finite"] == 0
