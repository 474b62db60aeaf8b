# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch

EPSILON = 1e-6


def rms_norm(
    x: torch.Tensor,  # [B, L, D]
    weight: torch.Tensor,  # [D], or [0] for none
    out: torch.Tensor,  # [B, L, D]
) -> None:
    """Write x / sqrt(mean(x^2) + 1e-6) * weight as a model composes it of eager operations."""
    variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
    normalized = x * torch.rsqrt(variance + EPSILON)
    if weight.numel() == 0:
        out.copy_(normalized)  # the cast to the tensors' dtype
    else:
        torch.mul(normalized.to(weight.dtype), weight, out=out)
