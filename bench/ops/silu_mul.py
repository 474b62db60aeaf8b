# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(at: Arithmetic, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """silu(gate), a step, times `up`: the element-wise half of SwiGLU."""
    silu = gate / (1 + (-gate).exp())
    return at.step(at.inexact(silu, silu.abs())) * up


OP = Op(
    name="silu_mul",
    formula="out = gate / (1 + exp(-gate)) * up",
    inputs={"gate": "B L D", "up": "B L D"},
    outputs={"out": "B L D"},
    layouts={"full": {}},
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
    inexact=2.0**-20,  # an exponential and a quotient: 8 units of float32's last place
)
