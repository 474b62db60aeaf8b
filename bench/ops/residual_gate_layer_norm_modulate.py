# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.ops.normalized import INEXACT, LONG_ROWS, gated_sum, layer_normalized, modulated
from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(
    at: Arithmetic,
    residual: torch.Tensor,
    update: torch.Tensor,
    gate: torch.Tensor,
    scale: torch.Tensor,
    shift: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gated residual as it is stored, and its normalised values modulated."""
    kept, rows = gated_sum(at, residual, update, gate)
    return kept, modulated(at, layer_normalized(at, kept, rows), scale, shift)


OP = Op(
    name="residual_gate_layer_norm_modulate",
    formula="kept = residual + update * gate; out = layer_norm(kept) * (1 + scale) + shift",
    inputs={
        "residual": "B L D",
        "update": "B L D",
        "gate": "B L D",
        "scale": "B L D",
        "shift": "B L D",
    },
    outputs={"kept": "B L D", "out": "B L D"},
    layouts={
        "full": {},
        "row": {"gate": "1 1 D", "scale": "1 1 D", "shift": "1 1 D"},
        "token": {"gate": "B L 1", "scale": "B L 1", "shift": "B L 1"},
    },
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
    reduced="D",
    inexact=INEXACT,
    edges=LONG_ROWS,
)
