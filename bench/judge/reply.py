# SPDX-License-Identifier: Apache-2.0
"""What a player may answer: numbers in a strict schema, and words that are shown, never parsed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.record.status import Status

REPLY_FIELDS = {"id": int, "ok": bool, "us": list, "marks": list, "kind": str, "text": str}


class PlayerFailure(Exception):
    """A player did not answer as it must: `status` says how, the text holds its last words."""

    def __init__(self, status: Status, text: str, kind: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.kind = kind


@dataclass(frozen=True)
class Reply:
    """A player's answer to one request."""

    us: tuple[float, ...]
    marks: tuple[int, ...]
    """what each call left in its outputs at its return, as a sum of bits"""
    text: str
    wall_us: float
    """the judge's own clock from request to reply"""


def read_reply(message: Mapping[str, Any], request: int, wall_us: float) -> Reply:
    """The reply in a message; PlayerFailure where it breaks the schema or says what went wrong."""
    good = set(message) == set(REPLY_FIELDS) and all(
        type(message[name]) is kind for name, kind in REPLY_FIELDS.items()
    )
    good = good and message["id"] == request
    good = good and all(type(us) is float and math.isfinite(us) for us in message["us"])
    good = good and all(type(mark) is int for mark in message["marks"])
    if not good:
        raise PlayerFailure(
            Status.PROTOCOL_ERROR,
            f"reply: expected the fields {', '.join(REPLY_FIELDS)} of request {request}, got"
            f" {plain_text(str(message)[:200])}",
        )
    text = plain_text(message["text"])
    if not message["ok"]:
        status, kind = status_of(message["kind"]), plain_text(message["kind"])
        raise PlayerFailure(status, f"{kind}: {text}" if status is Status.CRASHED else text, kind)
    return Reply(tuple(message["us"]), tuple(message["marks"]), text, wall_us)


def status_of(kind: str) -> Status:
    """The ending that an exception's name stands for."""
    return {
        "NotImplementedError": Status.NOT_IMPLEMENTED,
        "BuildError": Status.BUILD_FAILED,
        "LoadError": Status.BUILD_FAILED,
        "OutOfMemoryError": Status.OUT_OF_MEMORY,
        "TypeError": Status.REJECTED_INPUT,
        "ValueError": Status.REJECTED_INPUT,
    }.get(kind, Status.CRASHED)


def plain_text(words: str) -> str:
    """A player's words without what moves a terminal's cursor or cannot be stored as UTF-8."""
    return "".join(one if one.isprintable() or one in "\n\t" else "\ufffd" for one in words)
