# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ITEMSIZE = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "bfloat16": 2,
    "float16": 2,
    "int32": 4,
    "float32": 4,
    "int64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides, in elements; a size of 0 counts as 1, as in torch."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@dataclass(frozen=True)
class TensorSpec:
    """What a tensor is and where it lies, without its values."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """Elements."""
    dtype: str
    """torch's name without the prefix: `bfloat16`."""
    device: str
    """`cpu` or `cuda:0`."""
    offset: int
    """First byte, from the start of the device's memory or of the arena that holds the call."""

    @classmethod
    def of(cls, name: str, tensor: torch.Tensor) -> TensorSpec:
        """Describe a torch tensor; the offset is its address."""
        return cls(
            name,
            tuple(tensor.shape),
            tuple(tensor.stride()),
            str(tensor.dtype).removeprefix("torch."),
            str(tensor.device),
            tensor.data_ptr(),
        )

    @property
    def numel(self) -> int:
        """Elements, repeats of a zero stride included."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return ITEMSIZE[self.dtype]

    @property
    def span_bytes(self) -> int:
        """Bytes from the first to the last that the tensor touches; 0 when it is empty."""
        if self.numel == 0:
            return 0
        reach = sum((size - 1) * step for size, step in zip(self.shape, self.strides, strict=True))
        return (reach + 1) * self.itemsize

    @property
    def is_contiguous(self) -> bool:
        """Row-major without gaps; axes of size 1 and empty tensors have no say."""
        if self.numel == 0:
            return True
        expected = contiguous_strides(self.shape)
        axes = zip(self.shape, self.strides, expected, strict=True)
        return all(size == 1 or got == want for size, got, want in axes)

    def overlaps(self, other: TensorSpec) -> bool:
        """Whether the byte ranges of two tensors of one device meet."""
        if self.numel == 0 or other.numel == 0:
            return False
        return (
            self.offset < other.offset + other.span_bytes
            and other.offset < self.offset + self.span_bytes
        )
