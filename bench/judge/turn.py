# SPDX-License-Identifier: Apache-2.0
"""One turn of one player: poison its outputs, ask it, look at everything it touched."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from bench.judge.case import INPUTS, Case
from bench.judge.data import CaseData, dirty_outputs, fresh_inputs
from bench.judge.reply import PlayerFailure, Reply
from bench.judge.session import Session
from bench.judge.verify import Expectation, Finding, verify
from bench.player.marks import slot_sums
from bench.record.status import Status

# After these a player is gone or not to be asked again.
BROKEN = (Status.CRASHED, Status.TIMED_OUT, Status.PROTOCOL_ERROR, Status.LEFT_BEHIND)


@dataclass(frozen=True)
class Window:
    """Which calls a sample makes: slots [first, first + count), `repeat` times over.

    regime: `loop` gives one number for all calls, `each` one a call, `graph` one for a replay,
    `behind` one for calls that each follow a slow producer of their inputs on their stream.
    """

    first: int
    count: int
    repeat: int = 1
    regime: str = "loop"
    warm_slot: int = 0
    warm_calls: int = 0
    """calls of the warm slot that come first, none when 0; at least for `warm_us`"""
    warm_us: float = 0.0
    warm_us_max: float = 0.0
    """after which long calls need not be so many"""
    producer: str = ""
    """library of the slow producer"""

    def request(self) -> dict[str, Any]:
        """The message that asks a player for it."""
        return {"do": "sample", **dataclasses.asdict(self)}


def fill_inputs(
    session: Session, label: str, case: Case, plant: Callable[[CaseData], None] | None = None
) -> torch.Tensor:
    """Give a case fresh inputs, changed by `plant`; return the judge's own copy of them."""
    data = session.data(label, case)
    fresh_inputs(case, data.inputs, session.bits)
    if plant is not None:
        plant(data)
    size = case.bytes_of(INPUTS)
    kept = session.scratch(INPUTS, size)
    kept[:size].copy_(data.inputs[:size])
    return kept


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
    reply = ask(session, label, window)
    if isinstance(reply, Finding):
        return (), reply
    return reply.us, look(data, window, expect, poison, reply)


def ask(session: Session, label: str, window: Window) -> Reply | Finding:
    """Let a player make the window's calls."""
    try:
        return session.ask(label, window.request())
    except PlayerFailure as failure:
        return _failed(session, label, failure)


def look(
    data: CaseData,
    window: Window,
    expect: Expectation,
    poison: int,
    reply: Reply,
    *,
    exact: bool = False,
) -> Finding:
    """Judge what a player said and wrote; `exact` if its bytes are known to be the oracle's."""
    written = (window.first, window.first + window.count)
    return (
        _incomplete(window, reply)
        or _impossible(reply.us, reply.wall_us)
        or _late(data, written, window.repeat, reply.marks)
        or (_exact(data, window) if exact else verify(data, expect, poison, written))
    )


def _exact(data: CaseData, window: Window) -> Finding:
    names = data.case.op.outputs
    elements = window.count * sum(data.view(name)[0].numel() for name in names)
    return Finding(Status.PASSED, "", elements=elements)


def _failed(session: Session, label: str, failure: PlayerFailure) -> Finding:
    """A player that failed is not asked again: the next turn gets a fresh process."""
    if failure.status in BROKEN:
        session.leave(label)
    return Finding(failure.status, str(failure))


def _incomplete(window: Window, reply: Reply) -> Finding | None:
    """A time for everything that was asked, and a mark for every single call."""
    singles = window.count * window.repeat if window.regime == "each" else 0
    if len(reply.us) == (singles or 1) and len(reply.marks) == singles:
        return None
    text = (
        f"reply: expected {singles or 1} times and {singles} marks, got {len(reply.us)} and"
        f" {len(reply.marks)}"
    )
    return Finding(Status.PROTOCOL_ERROR, text)


def _late(
    data: CaseData, written: tuple[int, int], repeat: int, marks: Sequence[int]
) -> Finding | None:
    """What a call left at its return, seen in stream order, must be what is there now."""
    if not marks:
        return None
    views = [data.view(name)[slice(*written)] for name in data.case.op.outputs]
    now = torch.stack([slot_sums(view) for view in views]).sum(dim=0).tolist()
    if list(marks) == now * repeat:
        return None
    text = "outputs: expected complete at each call's return, got other values when all had ended"
    return Finding(Status.LATE_WRITE, text)


def _impossible(us: Sequence[float], wall_us: float) -> Finding | None:
    """A sample must be positive and no longer than the judge waited for it."""
    if us and all(one > 0 for one in us) and sum(us) <= wall_us:
        return None
    text = f"samples of {list(us)[:4]} us cannot be true: the judge waited {wall_us:.1f} us"
    return Finding(Status.IMPOSSIBLE_TIME, text)
