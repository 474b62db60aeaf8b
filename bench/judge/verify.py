# SPDX-License-Identifier: Apache-2.0
"""Everything that is looked at after a player has had its turn: outputs, guard bytes, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from bench.judge.case import INPUTS, OUTPUTS
from bench.judge.compare import Bounds, Comparison, Difference, chunks, compare
from bench.judge.data import CaseData, broken_guards, same_bytes
from bench.judge.numerics import Numerics, numerics_of
from bench.judge.oracle import envelopes, expected_output, upcast
from bench.record.status import Status
from bench.task.arithmetic import Rounding


@dataclass(frozen=True)
class Finding:
    """One verdict on one turn; `text` is empty when it passed."""

    status: Status
    text: str
    max_ulps: int = 0
    elements: int = 0
    at: tuple[int, ...] | None = None
    """coordinate of the first bad element: slot, then the output's axes"""
    numerics: Numerics | None = None
    """of frozen rows"""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return self.status is Status.PASSED


@dataclass(frozen=True)
class Expectation:
    """What a turn's outputs and inputs are held against."""

    rounding: Rounding
    bounds: Bounds
    inputs: torch.Tensor
    """the judge's own copy of what the inputs were filled with"""


def verify(
    data: CaseData,
    expect: Expectation,
    poison_bits: int,
    written: tuple[int, int],
) -> Finding:
    """Judge one turn: guards first, then inputs, then the written slots against the oracle."""
    case = data.case
    broken = broken_guards(case, data.outputs, OUTPUTS) + broken_guards(case, data.inputs, INPUTS)
    if broken:
        return Finding(Status.GUARD_OVERWRITTEN, f"guard bytes overwritten {broken[0]}")
    if not inputs_kept(data, expect.inputs):
        return Finding(Status.INPUT_MODIFIED, "inputs: expected the same bytes after the call")
    comparison = compare_with_oracle(data, expect.rounding, expect.bounds, poison_bits, written)
    return finding_of(comparison)


def measured(finding: Finding, data: CaseData, written: tuple[int, int]) -> Finding:
    """The finding with its numerics; INCORRECT where right results all lean to one side."""
    if finding.status not in (Status.PASSED, Status.INCORRECT):
        return finding
    numerics = numerics_of(data, written)
    if finding.passed and numerics.one_sided:
        finding = replace(finding, status=Status.INCORRECT, text=numerics.one_sided)
    return replace(finding, numerics=numerics)


def inputs_kept(data: CaseData, kept: torch.Tensor) -> bool:
    """Whether all inputs, guards included, are the judge's own copy byte for byte."""
    return same_bytes(data.inputs, kept, data.case.bytes_of(INPUTS))


def finding_of(comparison: Comparison) -> Finding:
    """Put a comparison into words."""
    difference = comparison.difference
    return Finding(
        Status.PASSED if difference is None else Status.INCORRECT,
        "" if difference is None else str(difference),
        comparison.max_ulps,
        comparison.elements,
        None if difference is None else difference.coordinate,
    )


def compare_with_oracle(
    data: CaseData,
    rounding: Rounding,
    bounds: Bounds,
    poison_bits: int | None,
    written: tuple[int, int] | None = None,
) -> Comparison:
    """Compare the outputs of the written slots with the oracle's, piece by piece."""
    op, case = data.case.op, data.case
    compute = upcast(case.dtype)
    first, end = written or (0, case.slots)
    tensors = {name: data.view(name)[first:end] for name in op.tensors}
    elements = worst = 0
    for start, piece in chunks(op, case.layout, tensors):
        inputs = [piece[name] for name in op.inputs]
        expected = expected_output(op, rounding, inputs, compute)
        ends = envelopes(op, rounding, inputs, compute)
        for name, wanted, envelope in zip(op.outputs, expected, ends, strict=True):
            got = piece[name]
            result = compare(
                got, wanted.broadcast_to(got.shape), bounds, poison_bits, envelope=envelope
            )
            elements, worst = elements + result.elements, max(worst, result.max_ulps)
            if result.difference is not None:
                return Comparison(
                    elements, worst, moved(result.difference, (start[0] + first, *start[1:]))
                )
    return Comparison(elements, worst, None)


def write_expected(data: CaseData, rounding: Rounding, written: tuple[int, int]) -> None:
    """Store the oracle's results in the written slots of a memory of the judge's own."""
    op, case = data.case.op, data.case
    tensors = {name: data.view(name)[slice(*written)] for name in op.tensors}
    for _, piece in chunks(op, case.layout, tensors):
        inputs = [piece[name] for name in op.inputs]
        expected = expected_output(op, rounding, inputs, upcast(case.dtype))
        for name, wanted in zip(op.outputs, expected, strict=True):
            piece[name].copy_(wanted)


def moved(difference: Difference, start: Sequence[int]) -> Difference:
    """Give a coordinate inside a piece its place in the whole."""
    offset = (*start, *([0] * (len(difference.coordinate) - len(start))))
    at = tuple(i + j for i, j in zip(difference.coordinate, offset, strict=True))
    return replace(difference, coordinate=at)
