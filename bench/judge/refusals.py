# SPDX-License-Identifier: Apache-2.0
"""Calls that the contract forbids: both sides must refuse them, and so must the entry alone."""

from __future__ import annotations

from typing import Any

from bench.judge.checker import Check, Checker
from bench.judge.reply import PlayerFailure
from bench.judge.turn import Window
from bench.judge.verify import Finding
from bench.record.status import Status
from bench.task.op import Op
from bench.task.rejections import Rejection
from bench.task.side import SIDES
from bench.task.tensor import TensorSpec
from bench.task.validate import validate

ARENA = "refusals"


def check_refusals(
    checker: Checker, op: Op, other_device: str | None, absent: str | None = None
) -> None:
    """Every wrong call that the contract implies, through the adapter and at the entry.

    `absent` is the device type of a back end whose device is not here: every call is wrong for it,
    and its entry alone is asked.
    """
    device = checker.session.device
    device_type = absent or device.partition(":")[0]
    for layout in op.layouts:
        for wrong in op.rejections(layout, device=device, other_device=other_device):
            try:
                validate(op, wrong.tensors, device_type)
                raise AssertionError(f"{op.name}: {wrong.name} is derived as wrong and validates")
            except (TypeError, ValueError) as error:
                expected = error
            for side in checker.sides if absent is None else ():
                finding = _refused(checker, side, op, wrong, expected, validated=True)
                _emit(checker, "refusal", op, side, finding, wrong)
            if SIDES[1] in checker.sides:
                finding = _refused(checker, SIDES[1], op, wrong, expected, validated=False)
                _emit(checker, "refusal at entry", op, SIDES[1], finding, wrong)


def _refused(
    checker: Checker, side: str, op: Op, wrong: Rejection, expected: Exception, *, validated: bool
) -> Finding:
    """The adapter must say what the contract says; the entry must name the same tensor."""
    session = checker.session
    if checker.given_up(side, op.name):
        return Finding(Status.NOT_RUN, f"{side} crashed too often on {op.name} before")
    try:
        memory = session.memory(ARENA, wrong.arena_bytes(session.device))
        session.share(side, ARENA, memory)
        session.ask(
            side,
            {
                "do": "bind",
                "op": op.name,
                "tensors": [_message(t) for t in wrong.tensors],
                "slots": 1,
                "outputs": len(op.outputs),
                "validated": validated,
            },
        )
        session.ask(side, Window(0, 1).request())
    except PlayerFailure as failure:
        if failure.status is not Status.REJECTED_INPUT:
            finding = Finding(failure.status, str(failure))
            checker.failed(side, op.name, finding)
            session.leave(side)
            return finding
        named = str(expected).partition(":")[0]
        text = str(failure)
        if validated:
            good = text == str(expected) and failure.kind == type(expected).__name__
        else:
            good = text.startswith(f"{named}: ") and failure.kind == type(expected).__name__
        return (
            Finding(Status.PASSED, text)
            if good
            else Finding(
                Status.INCORRECT,
                f"expected {type(expected).__name__}: {expected}, got {failure.kind}: {text}",
            )
        )
    return Finding(Status.INCORRECT, f"expected {type(expected).__name__}: {expected}, got a run")


def _message(spec: TensorSpec) -> dict[str, Any]:
    return {
        "memory": ARENA,
        "offset": spec.offset,
        "slot_bytes": 0,
        "shape": list(spec.shape),
        "strides": list(spec.strides),
        "dtype": spec.dtype,
        "device": spec.device,
    }


def _emit(
    checker: Checker, check: str, op: Op, side: str, finding: Finding, wrong: Rejection
) -> None:
    where = {"layout": wrong.layout, "call": wrong.name}
    checker.emit(Check(check, op.name, side, checker.rounding.value, finding, None, where))
