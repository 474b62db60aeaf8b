# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch

EPSILON = 1e-6


def rms_norm_modulate(
    x: torch.Tensor,  # [B, L, D]
    scale: torch.Tensor,  # [B, L, D], [1, 1, D] or [B, L, 1]
    shift: torch.Tensor,  # as scale
    out: torch.Tensor,  # [B, L, D]
) -> None:
    """Write RMSNorm, composed, without affine, times 1 + scale, plus shift, each step rounded."""
    variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
    normalized = (x * torch.rsqrt(variance + EPSILON)).to(x.dtype)
    torch.add(normalized * (1 + scale), shift, out=out)
