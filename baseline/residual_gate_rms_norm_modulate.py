# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch

EPSILON = 1e-6


def residual_gate_rms_norm_modulate(
    residual: torch.Tensor,  # [B, L, D]
    update: torch.Tensor,  # [B, L, D]
    gate: torch.Tensor,  # [B, L, D], [1, 1, D] or [B, L, 1]
    scale: torch.Tensor,  # as gate
    shift: torch.Tensor,  # as gate
    kept: torch.Tensor,  # [B, L, D]
    out: torch.Tensor,  # [B, L, D]
) -> None:
    """Write residual + update * gate, and RMSNorm, composed, of it times 1 + scale, plus shift."""
    torch.add(residual, update * gate, out=kept)
    variance = kept.to(torch.float32).pow(2).mean(-1, keepdim=True)
    normalized = (kept * torch.rsqrt(variance + EPSILON)).to(kept.dtype)
    torch.add(normalized * (1 + scale), shift, out=out)
