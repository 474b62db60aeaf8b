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


def special_values(
    dtype: str, position: int, device: torch.device, *, exact: bool = True
) -> torch.Tensor:
    """The values that the operand at `position` takes, largest finite ones in the first only.

    Where results are not exact the least subnormal is left out: half of it may be it, or nothing.
    """
    kind = getattr(torch, dtype)
    info = torch.finfo(kind)
    integer = INTEGER[info.bits // 8]
    below_normal = int(torch.tensor(info.smallest_normal, dtype=kind).view(integer)) - 1
    smallest = 1 if exact else (below_normal + 1) // 2
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
        exact = data.case.op.inexact == 0
        values = special_values(data.case.dtype, position, view.device, exact=exact)
        index = torch.arange(view.shape[-1], device=view.device) // len(values) ** position
        view.copy_(values[index % len(values)].expand_as(view))


def plant_in_rows(data: CaseData) -> None:
    """Overwrite inputs of an op that sums over rows: a special value in each row, or a kind of row.

    Every combination in one row would make each of them NaN. After the rows with a special value
    come one of tiny values, where an epsilon counts, one far from zero, where squares cancel, one
    of equal values and one of zeros.
    """
    inputs = list(data.case.op.inputs)
    for position, name in enumerate(inputs):
        view = data.view(name)
        values = summable_values(data.case.dtype, view.device)
        for number, value in enumerate(values):
            row = position * len(values) + number
            column = 11 * row % view.shape[-1] if view.shape[-1] > 1 else 0
            shared = view.dim() == 2 or view.shape[-2] == 1  # slots, and what all rows share
            if not shared:
                view[..., row, column] = value
            elif not value.isinf():  # times a row's zero, which nobody has exactly, it is anything
                view[..., column : column + 1] = value
    rows = data.view(inputs[0])
    tiny, far, equal, zeros = (rows[..., place, :] for place in range(-4, 0))
    tiny *= 2.0**-12
    far += 4096 if data.case.dtype == "float32" else 64
    equal.fill_(1.5)
    zeros.zero_()


def summable_values(dtype: str, device: torch.device) -> torch.Tensor:
    """The special values, none so large that float32 cannot hold a row's sum of squares."""
    values = special_values(dtype, 1, device)
    held = values.double().clamp(-(2.0**50), 2.0**50).to(values.dtype)
    return torch.where(values.isinf(), values, held)


def special_rows(inputs: int) -> int:
    """How many rows `plant_in_rows` needs for so many inputs."""
    return inputs * combinations(1) + 4


def combinations(inputs: int) -> int:
    """Length of a last axis that holds every combination for so many inputs."""
    count = len(special_values("float32", 0, torch.device("cpu")))
    return int(count**inputs)
