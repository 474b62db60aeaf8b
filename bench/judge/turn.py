# SPDX-License-Identifier: Apache-2.0
"""One turn of one player: poison its outputs, ask it, look at everything it touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.judge.case import INPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.data import CaseData, dirty_outputs, fresh_inputs
from bench.judge.players import PlayerFailure
from bench.judge.session import Session
from bench.judge.verify import Finding, verify
from bench.record.status import Status
from bench.task.op import Rounding


@dataclass(frozen=True)
class Window:
    """Which calls a sample makes: slots [first, first + count), `repeat` times, warm ones before.

    regime: `loop` gives one number for all calls, `each` one a call, `graph` one for a replay.
    """

    first: int
    count: int
    repeat: int = 1
    warm: tuple[int, ...] = ()
    regime: str = "loop"
    replays: int = 0

    def request(self) -> dict[str, Any]:
        """The message that asks a player for it."""
        return {
            "do": "sample",
            "regime": self.regime,
            "first": self.first,
            "count": self.count,
            "repeat": self.repeat,
            "warm": list(self.warm),
            "replays": self.replays,
        }

    @property
    def written(self) -> tuple[int, int]:
        """Slots [first, end) that hold results afterwards; a warm slot lies right before them."""
        begin = min(self.first, *self.warm) if self.warm else self.first
        assert begin >= self.first - 1
        return begin, self.first + self.count


@dataclass(frozen=True)
class Expectation:
    """What the outputs of a turn are held against."""

    rounding: Rounding
    bounds: Bounds
    inputs_before: int
    """fingerprint of the inputs when they were filled"""
    exact: bool = False
    """float64 oracle where float32 would do"""


def fill_inputs(
    session: Session, label: str, case: Case, plant: Callable[[CaseData], None] | None = None
) -> int:
    """Give a case fresh inputs, changed by `plant`; return their fingerprint."""
    data = session.data(label, case)
    fresh_inputs(case, data.inputs, session.generator)
    if plant is not None:
        plant(data)
    return session.fingerprint.of(data.inputs, case.bytes_of(INPUTS))


def bind(session: Session, label: str, case: Case) -> Finding:
    """Let a player bind its side to a case; the finding's text is its launch plan if it passed."""
    try:
        return Finding(Status.PASSED, session.bind(label, case).text)
    except PlayerFailure as failure:
        return _failed(session, label, failure)


def take_turn(
    session: Session, label: str, case: Case, window: Window, expect: Expectation, nonce: int
) -> tuple[tuple[float, ...], Finding]:
    """Sample a bound case; the numbers, and the finding on all that was written."""
    data = session.data(label, case)
    poison = dirty_outputs(case, data.outputs, nonce)
    try:
        reply = session.ask(label, window.request())
    except PlayerFailure as failure:
        return (), _failed(session, label, failure)
    finding = _impossible(reply.us, reply.wall_us) or verify(
        data,
        expect.rounding,
        expect.bounds,
        poison,
        expect.inputs_before,
        session.fingerprint,
        written=window.written,
        exact=expect.exact,
    )
    return reply.us, finding


def _failed(session: Session, label: str, failure: PlayerFailure) -> Finding:
    """A player that failed is not asked again: the next turn gets a fresh process."""
    if failure.status in (Status.CRASHED, Status.TIMED_OUT, Status.PROTOCOL_ERROR):
        session.leave(label)
    return Finding(failure.status, str(failure))


def _impossible(us: Sequence[float], wall_us: float) -> Finding | None:
    """A sample must be positive and no longer than the judge waited for it."""
    if us and all(one > 0 for one in us) and sum(us) <= wall_us:
        return None
    text = f"samples of {list(us)[:4]} us cannot be true: the judge waited {wall_us:.1f} us"
    return Finding(Status.IMPOSSIBLE_TIME, text)
