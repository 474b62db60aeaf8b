# SPDX-License-Identifier: Apache-2.0
"""A session whose players are functions and whose clock is a table: a row costs milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from bench.judge.case import INPUTS, Case
from bench.judge.data import CaseData
from bench.judge.oracle import expected_output, upcast
from bench.judge.reply import Reply
from bench.judge.session import Session
from bench.player.marks import bit_sum
from bench.player.memory import Memory
from bench.task.arithmetic import Rounding

Write = Callable[[CaseData, int], None]


@dataclass(frozen=True)
class Request:
    """What was asked of whom, and what it would have found."""

    label: str
    how: str
    inputs: bytes
    poisoned: bool


@dataclass
class Script:
    """How each side answers; a test changes what it is about."""

    us: dict[str, float] = field(
        default_factory=lambda: {"baseline": 20.0, "solution": 10.0, "stream": 8.0, "empty": 1.0}
    )
    write: dict[str, Write] = field(default_factory=dict)
    reply: dict[str, Callable[[Reply], Reply]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    pinned: list[tuple[str, int]] = field(default_factory=list)
    room: int = 1 << 40
    """bytes that can be allocated"""


def right(data: CaseData, slot: int) -> None:
    op = data.case.op
    inputs = [data.view(name)[slot] for name in op.inputs]
    outputs = expected_output(op, Rounding.EACH_STEP, inputs, upcast(data.case.dtype))
    for name, value in zip(op.outputs, outputs, strict=True):
        data.view(name)[slot].copy_(value)


def session_class(script: Script) -> type[Session]:
    """A Session that follows a script."""

    class InProcess(Session):
        def seat(self, labels: Sequence[str]) -> None:
            self._cases: dict[str, Case] = {}

        def leave(self, label: str) -> None:
            pass

        def pin(self, label: str, core: int) -> None:
            script.pinned.append((label, core))

        def bind(self, label: str, case: Case) -> Reply:
            self.data(label, case)
            self._cases[label] = case
            return Reply((), (), f"plan of {label}", 1.0)

        def ask(self, label: str, request: Mapping[str, Any]) -> Reply:
            data = self.data(label, self._cases[label])
            side = label.partition(" ")[0]
            names = data.case.op.outputs
            script.requests.append(
                Request(
                    label,
                    request["regime"],
                    data.inputs[: data.case.bytes_of(INPUTS)].numpy().tobytes(),
                    all(bool(data.view(name).isnan().all()) for name in names),
                )
            )
            first, count, repeat = (request[key] for key in ("first", "count", "repeat"))
            marks = []
            for slot in range(first, first + count):
                script.write.get(side, right)(data, slot)
                marks.append(int(bit_sum([data.view(name)[slot] for name in names])))
            each, calls = script.us[side], count * repeat
            if request["regime"] == "each":
                reply = Reply((each,) * calls, tuple(marks) * repeat, "", 1e12)
            else:
                reply = Reply((each * calls,), (), "", 1e12)
            return script.reply.get(side, lambda one: one)(reply)

        def _ensure(self, name: str, size: int) -> Memory:
            from bench.player.memory import OutOfMemory

            if size > script.room:
                raise OutOfMemory(f"cpu: {size >> 20} MiB asked for, none available")
            return super()._ensure(name, size)

    return InProcess


def corrupt(at: tuple[int, ...]) -> Write:
    """The right answer but for one element."""

    def write(data: CaseData, slot: int) -> None:
        right(data, slot)
        data.view("out")[(slot, *at)] = torch.tensor(99.0)

    return write
