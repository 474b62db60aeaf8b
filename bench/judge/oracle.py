# SPDX-License-Identifier: Apache-2.0
"""What an op's outputs must be: the oracle in wide arithmetic, rounded as the rounding says."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bench.task.arithmetic import Arithmetic, Rounding
from bench.task.op import Op

Outputs = tuple[torch.Tensor, ...]


def upcast(dtype: str) -> torch.dtype:
    """float32 holds a product of two 16-bit values exactly; float32 operands need float64."""
    return torch.float64 if dtype == "float32" else torch.float32


def expected_output(
    op: Op,
    rounding: Rounding,
    inputs: Sequence[torch.Tensor],
    compute: torch.dtype,
    shift: float = 0.0,
) -> Outputs:
    """The op's oracle on inputs of one dtype, rounded to it; one tensor an output.

    `shift` moves every inexact value by so large a share of its magnitude.
    """
    dtype = inputs[0].dtype
    arithmetic = Arithmetic(rounding, dtype, shift)
    return tuple(one.to(dtype) for one in evaluate(op, arithmetic, inputs, compute))


def evaluate(
    op: Op, arithmetic: Arithmetic, inputs: Sequence[torch.Tensor], compute: torch.dtype
) -> Outputs:
    """The op's oracle in one arithmetic, not yet rounded to the tensors' dtype.

    Inputs may have a slot axis before the declared ones; a tensor of lower rank than the others
    broadcasts behind it.
    """
    slots = inputs[0].dim() - len(next(iter(op.inputs.values())).split())
    rank = max(tensor.dim() for tensor in inputs)
    outputs = op.oracle(
        arithmetic,
        *(
            tensor.to(compute)[(slice(None),) * slots + (None,) * (rank - tensor.dim())]
            for tensor in inputs
        ),
    )
    return outputs if isinstance(outputs, tuple) else (outputs,)


def envelopes(
    op: Op, rounding: Rounding, inputs: Sequence[torch.Tensor], compute: torch.dtype
) -> Sequence[tuple[torch.Tensor, torch.Tensor] | None]:
    """For each output the least and the largest value that is right; None where there is one.

    Between the ends lies what any order of summation and any library may give. Where moving an
    inexact value makes a NaN, as from an infinite one, the ends are what they are without it.
    """
    if not op.inexact:
        return [None] * len(op.outputs)
    right = expected_output(op, rounding, inputs, compute)
    moved = [
        [
            torch.where(one.isnan(), exact, one)
            for one, exact in zip(
                expected_output(op, rounding, inputs, compute, shift), right, strict=True
            )
        ]
        for shift in (-op.inexact, op.inexact)
    ]
    return [
        (torch.minimum(*ends).minimum(exact), torch.maximum(*ends).maximum(exact))
        for *ends, exact in zip(*moved, right, strict=True)
    ]
