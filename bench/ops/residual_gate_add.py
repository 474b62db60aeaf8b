# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(
    at: Arithmetic, residual: torch.Tensor, update: torch.Tensor, gate: torch.Tensor
) -> torch.Tensor:
    """The formula, the product a step."""
    return residual + at.step(update * gate)


OP = Op(
    name="residual_gate_add",
    formula="out = residual + update * gate",
    inputs={"residual": "B L D", "update": "B L D", "gate": "B L D"},
    outputs={"out": "B L D"},
    layouts={"full": {}, "row": {"gate": "1 1 D"}},
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
)
