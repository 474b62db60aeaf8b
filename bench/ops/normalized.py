# SPDX-License-Identifier: Apache-2.0
"""What the ops of one normalisation share: its formula, and how far nobody has it exactly."""

from __future__ import annotations

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
) -> tuple[torch.Tensor, torch.Tensor]:
    """residual + update * gate as it is stored, and as it is where nothing is moved.

    Where only the sum is rounded, a kernel may have it in float32 before that.
    """
    total = residual + at.step(update * gate)
    if at.rounding is Rounding.EACH_STEP:
        return at.store(total), at.store(total)
    return at.store(at.inexact(total, total.abs())), at.store(total)


# `still` is x where nothing is moved: a mean of moved values would take the move back.


def rms_normalized(at: Arithmetic, x: torch.Tensor, still: torch.Tensor) -> torch.Tensor:
    """Over the last axis: x / sqrt(mean(x^2) + EPSILON)."""
    normalized = x * torch.rsqrt(still.square().mean(-1, keepdim=True) + EPSILON)
    return at.step(at.inexact(normalized, normalized.abs()))


def layer_normalized(at: Arithmetic, x: torch.Tensor, still: torch.Tensor) -> torch.Tensor:
    """Over the last axis: (x - mean(x)) / sqrt(mean((x - mean(x))^2) + EPSILON)."""
    mean = still.mean(-1, keepdim=True)
    scale = torch.rsqrt((still - mean).square().mean(-1, keepdim=True) + EPSILON)
    magnitude = (still.abs() + still.abs().mean(-1, keepdim=True)) * scale
    return at.step(at.inexact((x - mean) * scale, magnitude))


def modulated(
    at: Arithmetic, normalized: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor
) -> torch.Tensor:
    """normalized * (1 + scale) + shift, the sum and the product each a step."""
    return at.step(normalized * at.step(1 + scale)) + shift
