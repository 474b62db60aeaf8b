# SPDX-License-Identifier: Apache-2.0
"""The judge judged: each planted defect must be caught, and for its own reason."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bench.judge.case import Case
from bench.judge.checker import Check, Checker, bounds_for
from bench.judge.data import CaseData, dirty_outputs
from bench.judge.oracle import expected_output, upcast
from bench.judge.turn import fill_inputs
from bench.judge.verify import Expectation, Finding, verify
from bench.player.marks import INTEGER
from bench.record.status import Status
from bench.task.op import Op

PLANTER = "self-test"  # an owner of outputs that no player ever maps


def check_judge(checker: Checker, op: Op, guard_bytes: int) -> None:
    """Plant each defect in a right answer of an op, and see it caught."""
    names = op.axes_names
    axes = dict.fromkeys(names[:-2], 2) | {names[-2]: 37, names[-1]: 520}
    for dtype in op.dtypes:
        case = Case(op, next(iter(op.layouts)), axes, dtype, 2, guard_bytes)
        for name, (plant, wanted, word) in DEFECTS.items():
            got = _planted(checker, case, plant)
            finding = Finding(Status.PASSED, got.text)
            if got.status is not wanted or word not in got.text:
                text = f"{name}: expected {wanted} with '{word}', got {got.status} {got.text}"
                finding = Finding(Status.INCORRECT, text)
            where = {"dtype": dtype, "defect": name}
            checker.emit(
                Check("self-test", op.name, None, checker.rounding.value, finding, None, where)
            )


def _planted(checker: Checker, case: Case, plant: Plant) -> Finding:
    """Write the right answer, change it, and look at it as at a player's."""
    session, rounding = checker.session, checker.rounding
    before = fill_inputs(session, PLANTER, case)
    data = session.data(PLANTER, case)
    poison = dirty_outputs(case, data.outputs, checker.random.getrandbits(16))
    inputs = [data.view(name) for name in case.op.inputs]
    right = expected_output(case.op, rounding, inputs, upcast(case.dtype))
    for name, value in zip(case.op.outputs, right, strict=True):
        data.view(name).copy_(value)
    plant(data, next(iter(case.op.outputs)), poison)
    bounds = bounds_for(checker.policy, case.op, rounding, checker.policy.tolerance.of(case.dtype))
    expect = Expectation(rounding, bounds, before)
    return verify(data, expect, poison, (0, case.slots))


Plant = Callable[[CaseData, str, int], None]


def _bits(data: CaseData, name: str) -> torch.Tensor:
    view = data.view(name)
    return view.view(INTEGER[view.element_size()])


def _nothing(data: CaseData, name: str, poison: int) -> None:
    """Leave the right answer as it is: it must pass."""


def _skipped(data: CaseData, name: str, poison: int) -> None:
    """No launch: every output is as it was poisoned."""
    for output in data.case.op.outputs:
        _bits(data, output).fill_(poison)


def _short(data: CaseData, name: str, poison: int) -> None:
    """The very last element is not stored."""
    bits = _bits(data, name)
    bits[tuple(size - 1 for size in bits.shape)] = poison


def _wrong(data: CaseData, name: str, poison: int) -> None:
    """One element in one slot is off by four units of the last place, or far beyond inexact."""
    bits = _bits(data, name)
    smallest = torch.finfo(data.view(name).dtype).eps
    bits[(1, *(0 for _ in bits.shape[2:]), 3)] += 4 + int(128 * data.case.op.inexact / smallest)


def _behind(data: CaseData, name: str, poison: int) -> None:
    """One byte behind the output is written."""
    placed = data.case.placed[name]
    data.outputs[placed.offset + placed.payload_bytes] ^= 1


def _ahead(data: CaseData, name: str, poison: int) -> None:
    """One byte ahead of the output is written."""
    data.outputs[data.case.placed[name].offset - 1] ^= 1


def _input(data: CaseData, name: str, poison: int) -> None:
    """One bit of an input is changed by the call."""
    last = data.case.placed[list(data.case.op.inputs)[-1]]
    data.inputs[last.offset + last.slot_bytes] ^= 1


DEFECTS: dict[str, tuple[Plant, Status, str]] = {
    "none": (_nothing, Status.PASSED, ""),
    "skipped launch": (_skipped, Status.INCORRECT, "unwritten"),
    "short write": (_short, Status.INCORRECT, "unwritten"),
    "wrong value": (_wrong, Status.INCORRECT, "1 wrong"),
    "write behind": (_behind, Status.GUARD_OVERWRITTEN, "after"),
    "write ahead": (_ahead, Status.GUARD_OVERWRITTEN, "before"),
    "input changed": (_input, Status.INPUT_MODIFIED, "inputs"),
}
