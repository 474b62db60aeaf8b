# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch


def broadcast_add_4d(
    a: torch.Tensor,  # [1, 1, P, D]
    b: torch.Tensor,  # [1, S, P, D]
    out: torch.Tensor,  # [1, S, P, D]
) -> None:
    """Write a + b, `a` repeated along S, as eager PyTorch does: one launch."""
    torch.add(a, b, out=out)
