# SPDX-License-Identifier: Apache-2.0
"""torch.addcmul, one launch of PyTorch's own.

It computes in float32 and rounds once, so against eager's two roundings it is off by an ulp here
and there whichever rounding is asked for.
"""

from __future__ import annotations

from types import SimpleNamespace

import torch

APPLIES = ("residual_gate_add",)  # out = residual + update * gate is its very formula


def load(op: str, **_: object) -> SimpleNamespace:
    """Return the call for an op whose formula addcmul is."""
    if op not in APPLIES:
        raise NotImplementedError(f"addcmul is not {op}; it is {', '.join(APPLIES)}")
    return SimpleNamespace(call=_addcmul, plan=None)


def _addcmul(
    residual: torch.Tensor, update: torch.Tensor, gate: torch.Tensor, out: torch.Tensor
) -> None:
    torch.addcmul(residual, update, gate, out=out)
