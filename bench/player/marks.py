# SPDX-License-Identifier: Apache-2.0
"""A cheap trace of what outputs held at one moment, comparable between judge and player."""

from __future__ import annotations

from collections.abc import Sequence

import torch

INTEGER = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def bit_sum(outputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """The sum of all outputs' bits read as integers: int64, no shape; on the current stream.

    It tells whether outputs were complete when a call returned, not whether they are right: the
    judge compares the values themselves.
    """
    sums = [slot_sums(output.unsqueeze(0)) for output in outputs]
    return torch.stack(sums).sum()


def slot_sums(output: torch.Tensor) -> torch.Tensor:
    """One output's sum in each slot: [slots, *shape] with contiguous slots gives int64 [slots].

    Read in the widest words that fit: a CPU sums 8-byte words 37 times faster than 2-byte ones.
    """
    itemsize, elements = output.element_size(), output[0].numel()
    start = output.storage_offset()
    ends = (start * itemsize, elements * itemsize)
    width = next(width for width in (8, 4, 2, 1) if all(end % width == 0 for end in ends))
    stride = output.stride(0) if output.shape[0] > 1 else elements
    flat = output.as_strided((output.shape[0], elements), (stride, 1), start)
    return flat.view(INTEGER[width]).sum(dim=1, dtype=torch.int64)
