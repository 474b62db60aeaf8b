# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch

from bench.task.host import available_memory_bytes


def memory_budget(device: str, fraction: float) -> int:
    """Bytes that a row's tensors may take: a fraction of what is free now."""
    if device.startswith("cuda"):
        free, _ = torch.cuda.mem_get_info(device)
        return int(free * fraction)
    return int(available_memory_bytes() * fraction)
