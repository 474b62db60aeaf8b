# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.ops.normalized import INEXACT, LONG_ROWS, modulated, rms_normalized
from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(
    at: Arithmetic, x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor
) -> torch.Tensor:
    """The normalised values times 1 + scale, plus shift; each result but the last a step."""
    return modulated(at, rms_normalized(at, x, [x]), scale, shift)


OP = Op(
    name="rms_norm_modulate",
    formula="out = x / sqrt(mean(x^2) + 1e-6) * (1 + scale) + shift",
    inputs={"x": "B L D", "scale": "B L D", "shift": "B L D"},
    outputs={"out": "B L D"},
    layouts={
        "full": {},
        "row": {"scale": "1 1 D", "shift": "1 1 D"},
        "token": {"scale": "B L 1", "shift": "B L 1"},
    },
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
    reduced="D",
    inexact=INEXACT,
    edges=LONG_ROWS,
)
