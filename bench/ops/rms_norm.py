# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.ops.normalized import INEXACT, LONG_ROWS, rms_normalized
from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(at: Arithmetic, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The normalised values, a step, times the weight; an empty weight is none."""
    normalized = rms_normalized(at, x, [x])
    return normalized * weight if weight.numel() else normalized


OP = Op(
    name="rms_norm",
    formula="out = x / sqrt(mean(x^2) + 1e-6) * weight",
    inputs={"x": "B L D", "weight": "D"},
    outputs={"out": "B L D"},
    layouts={"weighted": {}, "weightless": {"weight": "0"}},
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
    reduced="D",
    inexact=INEXACT,
    edges=LONG_ROWS,
)
