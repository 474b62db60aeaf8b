# SPDX-License-Identifier: Apache-2.0
"""Special values in every combination: zeros and signs, infinities, NaN, subnormals, extremes."""

from __future__ import annotations

import torch

from bench.judge.data import CaseData
from bench.player.marks import INTEGER

# dtype -> bits of the largest finite value, and of a large one whose square float32 still holds:
# what overflows only in float32 arithmetic is not what a contract of one rounding is about.
LARGE = {
    "bfloat16": (0x7F7F, 0x5D80),
    "float16": (0x7BFF, 0x7000),
    "float32": (0x7F7FFFFF, 0x5D800000),
}


def special_values(dtype: str, position: int, device: torch.device) -> torch.Tensor:
    """The values that the operand at `position` takes, largest finite ones in the first only."""
    kind = getattr(torch, dtype)
    info = torch.finfo(kind)
    integer = INTEGER[info.bits // 8]
    smallest = 1
    below_normal = int(torch.tensor(info.smallest_normal, dtype=kind).view(integer)) - 1
    largest, large = LARGE[dtype]
    plain = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        float("inf"),
        float("-inf"),
        float("nan"),
        1.0 + info.eps,
        info.smallest_normal,
    ]
    values = torch.tensor(plain, dtype=kind).view(integer).tolist()
    values += [
        smallest,
        smallest | -(1 << (info.bits - 1)),
        below_normal,
        largest if position == 0 else large,
    ]
    return torch.tensor(values, dtype=integer).view(kind).to(device)


def plant_specials(data: CaseData) -> None:
    """Overwrite each input so that a last axis of count ** inputs holds every combination."""
    for position, name in enumerate(data.case.op.inputs):
        view = data.view(name)
        values = special_values(data.case.dtype, position, view.device)
        index = torch.arange(view.shape[-1], device=view.device) // len(values) ** position
        view.copy_(values[index % len(values)].expand_as(view))


def combinations(inputs: int) -> int:
    """Length of a last axis that holds every combination for so many inputs."""
    count = len(special_values("float32", 0, torch.device("cpu")))
    return int(count**inputs)
