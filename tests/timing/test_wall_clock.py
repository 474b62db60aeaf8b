# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from bench.timing import clocks
from bench.timing.clocks import WallClock, clock_for


class FakeTime:
    """A clock that only calls move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 5_000_000_000
        self.log: list[str] = []
        monkeypatch.setattr(clocks.time, "perf_counter_ns", lambda: self.now)

    def call(self, name: str, microseconds: float) -> Callable[[], None]:
        def run() -> None:
            self.log.append(name)
            self.now += round(microseconds * 1000)

        return run


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    return FakeTime(monkeypatch)


def test_a_loop_is_timed_from_before_the_first_call_to_after_the_last(fake: FakeTime) -> None:
    assert WallClock().loop([fake.call("a", 2), fake.call("b", 3.5)]) == pytest.approx(5.5)
    assert fake.log == ["a", "b"]


def test_each_call_is_timed_by_itself_without_what_follows_it(fake: FakeTime) -> None:
    calls = [fake.call("a", 2), fake.call("b", 7)]
    after = [fake.call("mark a", 1000), fake.call("mark b", 1000)]
    assert WallClock().each(calls, after) == pytest.approx([2, 7])
    assert fake.log == ["a", "mark a", "b", "mark b"]


@pytest.mark.parametrize(
    ("calls", "us", "us_max", "expected"),
    [(3, 0, 99, 3), (1, 50, 99, 5), (9, 0, 35, 4), (9, 50, 35, 5), (9, 0, 0, 1), (0, 0, 0, 0)],
)
def test_warming_lasts_for_the_time_and_for_the_calls_unless_they_are_long(
    fake: FakeTime, calls: int, us: float, us_max: float, expected: int
) -> None:
    WallClock().warm(fake.call("w", 10), calls, us, us_max)
    assert len(fake.log) == expected


def test_no_garbage_is_collected_inside_a_sample_and_it_is_again_after() -> None:
    seen = []
    WallClock().loop([lambda: seen.append(gc.isenabled())])
    assert seen == [False]
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        WallClock().loop([lambda: 1 // 0])
    assert gc.isenabled()


def test_a_cpu_has_no_graph_to_time() -> None:
    with pytest.raises(NotImplementedError, match="sample a loop instead"):
        WallClock().graph([])


def test_real_time_is_in_microseconds() -> None:
    us = clock_for("cpu").loop([lambda: time.sleep(0.01)])
    assert 10_000 <= us < 1_000_000
