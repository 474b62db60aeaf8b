# SPDX-License-Identifier: Apache-2.0
"""What the ops of one normalisation share: its formula, and how far nobody has it exactly."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import torch

from bench.task.arithmetic import Rounding

if TYPE_CHECKING:
    from bench.task.arithmetic import Arithmetic

EPSILON = 1e-6
# Sums of up to some thousand terms in float32, in any order, and a reciprocal square root: 8 units
# of float32's last place.
INEXACT = 2.0**-20
# Rows that no block holds in registers, with vectors and without.
LONG_ROWS = ({"B": 1, "L": 3, "D": 40_000}, {"B": 1, "L": 3, "D": 40_001})


def gated_sum(
    at: Arithmetic, residual: torch.Tensor, update: torch.Tensor, gate: torch.Tensor
) -> tuple[torch.Tensor, Iterator[torch.Tensor]]:
    """residual + update * gate as it is stored, and what a kernel may have stored of its row.

    Where only the sum is rounded, a kernel may have it in float32 before that or not.
    """
    total = residual + at.step(update * gate)
    if at.rounding is Rounding.EACH_STEP:
        return at.store(total), iter([at.store(total)])
    several = at.shift and at.dtype is not torch.float32
    factors = (1, 1 + INEXACT, 1 - INEXACT) if several else (1,)
    rows = (at.store(factor * total) for factor in factors)
    return at.store(at.inexact(total, total.abs())), rows


# `rows` are what x may be where the row's sums are made: one value that is rounded to the other
# side moves all others of its row. A mean of x itself would take a move of all its values back.


def rms_normalized(at: Arithmetic, x: torch.Tensor, rows: Iterable[torch.Tensor]) -> torch.Tensor:
    """Over the last axis: x / sqrt(mean(x^2) + EPSILON)."""
    found = []
    for row in rows:
        normalized = x * torch.rsqrt(row.square().mean(-1, keepdim=True) + EPSILON)
        found.append(at.inexact(normalized, normalized.abs()))
    return at.step(_furthest(at, found))


def layer_normalized(at: Arithmetic, x: torch.Tensor, rows: Iterable[torch.Tensor]) -> torch.Tensor:
    """Over the last axis: (x - mean(x)) / sqrt(mean((x - mean(x))^2) + EPSILON)."""
    found = []
    for row in rows:
        mean = row.mean(-1, keepdim=True)
        scale = torch.rsqrt((row - mean).square().mean(-1, keepdim=True) + EPSILON)
        magnitude = (row.abs() + row.abs().mean(-1, keepdim=True)) * scale
        found.append(at.inexact((x - mean) * scale, magnitude))
    return at.step(_furthest(at, found))


def _furthest(at: Arithmetic, values: Sequence[torch.Tensor]) -> torch.Tensor:
    """Of what a result may be, the furthest in the direction in which the arithmetic moves."""
    return functools.reduce(torch.maximum if at.shift > 0 else torch.minimum, values)


def modulated(
    at: Arithmetic, normalized: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor
) -> torch.Tensor:
    """normalized * (1 + scale) + shift, the sum and the product each a step."""
    return at.step(normalized * at.step(1 + scale)) + shift
