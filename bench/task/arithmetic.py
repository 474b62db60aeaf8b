# SPDX-License-Identifier: Apache-2.0
"""What an oracle computes with: where results are rounded, and which of them nobody has exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

FLOAT32_SPACING = 2.0**-149  # of subnormal numbers


class Rounding(str, Enum):
    """Where results are rounded to the tensors' dtype."""

    ONCE = "once"
    EACH_STEP = "each_step"


@dataclass(frozen=True)
class Arithmetic:
    """One way to evaluate an oracle, on inputs upcast to float32 or float64."""

    rounding: Rounding | None = None
    """None: no rounding at all, for the exact value"""
    dtype: torch.dtype | None = None
    """of the tensors"""
    shift: float = 0.0
    """share of its magnitude by which every inexact value is moved"""

    def step(self, value: torch.Tensor) -> torch.Tensor:
        """An intermediate result: rounded where each step is."""
        return self.store(value) if self.rounding is Rounding.EACH_STEP else value

    def store(self, value: torch.Tensor) -> torch.Tensor:
        """A result that is an output and is computed on: rounded, as it goes through memory."""
        return value if self.rounding is None else value.to(self.dtype).to(value.dtype)

    def inexact(self, value: torch.Tensor, magnitude: torch.Tensor) -> torch.Tensor:
        """A sum in an order that is nobody's to prescribe, or a library's function.

        `magnitude` is what its error is a share of: the sum of its terms' absolute values. Below
        float32's normal numbers a result is off by half its spacing, however small it is.
        """
        if not self.shift:
            return value
        return value + self.shift * magnitude + math.copysign(FLOAT32_SPACING, self.shift)
