# SPDX-License-Identifier: Apache-2.0
"""Wrong formulas derived from an op's contract: on a row's own inputs none may pass for the right.

What passes here, a side could compute instead: then the inputs do not discriminate, or the
tolerance is too wide.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import torch

from bench.judge.checker import Check, Checker, bounds_for
from bench.judge.compare import ANY_ULPS, Bounds, chunks, compare
from bench.judge.data import CaseData
from bench.judge.oracle import Outputs, envelopes, expected_output, upcast
from bench.judge.verify import Finding
from bench.record.status import Status
from bench.task.arithmetic import Rounding
from bench.task.op import Op
from bench.task.workload import Workload

ELEMENTS = 1 << 14  # of the output: every mutant shows, and torch takes one thread for so few
FAR_ABOVE = 3.0  # times the tolerance that an operand moves the median element, at the least
Ends = Sequence[tuple[torch.Tensor, torch.Tensor] | None]


def check_oracle_mutants(checker: Checker, row: Workload, data: CaseData) -> None:
    """One check a mutant of the row's op, on the inputs that the sides were given."""
    op, rounding = row.op, checker.rounding
    tensors = {name: data.view(name)[:1] for name in op.tensors}
    _, piece = next(iter(chunks(op, row.layout, tensors, ELEMENTS)))
    inputs = {name: piece[name] for name in op.inputs}
    right = _outputs(op, rounding, inputs, [])
    ends = envelopes(op, rounding, list(inputs.values()), upcast(row.dtype))
    tolerance = Bounds(row.tolerance.atol, row.tolerance.rtol, ANY_ULPS)
    for name, changed in _operand_mutants(inputs):
        finding = _killed(_outputs(op, rounding, changed, right), right, ends, tolerance)
        _emit(checker, row, name, finding)
    for name, changed in _without(inputs):
        finding = _contribution(_outputs(op, rounding, changed, right), right, tolerance)
        _emit(checker, row, f"contribution of {name}", finding)
    other = next(one for one in Rounding if one is not rounding)
    rounded = _outputs(op, other, inputs, right)
    if any(not mine.equal(theirs) for mine, theirs in zip(rounded, right, strict=True)):
        bounds = bounds_for(checker.policy, op, rounding, row.tolerance)
        _emit(checker, row, f"rounded as {other.value}", _killed(rounded, right, ends, bounds))


def _operand_mutants(
    inputs: Mapping[str, torch.Tensor],
) -> Iterator[tuple[str, dict[str, torch.Tensor]]]:
    """Each operand as a constant, 0 and 1 among them, and as each other operand."""
    present = {name: value for name, value in inputs.items() if value.numel()}
    for name, value in present.items():
        constants = {"0": 0.0, "1": 1.0, "its first element": float(value.flatten()[0])}
        for words, constant in constants.items():
            yield f"{name} replaced by {words}", {**inputs, name: torch.full_like(value, constant)}
    for name, other in itertools.permutations(present, 2):
        yield f"{name} replaced by {other}", {**inputs, name: inputs[other]}


def _without(
    inputs: Mapping[str, torch.Tensor],
) -> Iterator[tuple[str, dict[str, torch.Tensor]]]:
    for name, value in inputs.items():
        if value.numel():  # an empty one stands for none
            yield name, {**inputs, name: torch.zeros_like(value)}


def _contribution(without: Outputs, right: Outputs, bounds: Bounds) -> Finding:
    """How far an operand moves the results: the median element by FAR_ABOVE times its tolerance."""
    moved = []
    for wrong, one in zip(without, right, strict=True):
        wide = one.double()
        moved.append(((wrong.double() - wide).abs() / _allowed(wide, bounds)).median())
    times = float(max(moved))  # of one output: another may not depend on the operand
    text = f"moves the median result by {times:.1f} times its tolerance"
    if times >= FAR_ABOVE:
        return Finding(Status.PASSED, text)
    return Finding(Status.INCORRECT, f"{text}, expected at least {FAR_ABOVE}")


def _allowed(right: torch.Tensor, bounds: Bounds) -> torch.Tensor:
    return bounds.atol + bounds.rtol * right.abs()


def _killed(mutant: Outputs, right: Outputs, ends: Ends, bounds: Bounds) -> Finding:
    """PASSED where the comparison tells a mutant from the right answer."""
    found = [
        compare(wrong, one, bounds, None, envelope=envelope).difference
        for wrong, one, envelope in zip(mutant, right, ends, strict=True)
    ]
    wrong = sum(difference.mismatches for difference in found if difference is not None)
    elements = sum(one.numel() for one in right)
    if wrong:
        return Finding(Status.PASSED, f"{wrong} of {elements} wrong", elements=elements)
    return Finding(Status.INCORRECT, "passes for the right answer", elements=elements)


def _outputs(
    op: Op, rounding: Rounding, inputs: Mapping[str, torch.Tensor], like: Sequence[torch.Tensor]
) -> Outputs:
    """The oracle's outputs, broadcast to the right ones' shapes: a mutant may have lost an axis."""
    values = list(inputs.values())
    found = expected_output(op, rounding, values, upcast(str(values[0].dtype).split(".")[1]))
    return tuple(
        one.broadcast_to(right.shape) for one, right in zip(found, like or found, strict=True)
    )


def _emit(checker: Checker, row: Workload, mutant: str, finding: Finding) -> None:
    where = {"layout": row.layout, "dtype": row.dtype, "mutant": mutant}
    rounding = checker.rounding.value
    checker.emit(Check("oracle mutant", row.op.name, None, rounding, finding, row.id, where))
