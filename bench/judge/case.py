# SPDX-License-Identifier: Apache-2.0
"""Where each tensor of a case lies: slots, guard bytes and alignment; pure arithmetic.

A case has as many *slots* as a sample has calls: each slot is a whole set of tensors at addresses
of its own, so that every timed call has fresh inputs and a freshly poisoned output.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.task.op import Op
from bench.task.tensor import ITEMSIZE

ALIGNMENT = 256  # bytes; what the CUDA allocator gives a tensor of its own
INPUTS, OUTPUTS = "inputs", "outputs"


@dataclass(frozen=True)
class Placed:
    """One tensor in every slot: slot k starts at `offset + k * slot_bytes` of its memory."""

    memory: str
    offset: int
    """bytes to the first element in slot 0"""
    slot_bytes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """elements"""
    dtype: str

    @property
    def payload_bytes(self) -> int:
        """Bytes of one slot's elements; every placed tensor is contiguous."""
        return math.prod(self.shape) * ITEMSIZE[self.dtype]

    def message(self, device: str) -> dict[str, Any]:
        """What a player needs to map it."""
        return {
            "memory": self.memory,
            "offset": self.offset,
            "slot_bytes": self.slot_bytes,
            "shape": list(self.shape),
            "strides": list(self.strides),
            "dtype": self.dtype,
            "device": device,
        }


@dataclass(frozen=True)
class Case:
    """An op at concrete axes, laid out for `slots` calls with `guard_bytes` round every tensor."""

    op: Op
    layout: str
    axes: Mapping[str, int]
    dtype: str
    slots: int
    guard_bytes: int
    offsets: Mapping[str, int] = field(default_factory=dict)
    """elements by which a tensor's start is moved off its alignment"""

    @functools.cached_property
    def placed(self) -> dict[str, Placed]:
        """Every tensor of the call, in its order."""
        ends = {INPUTS: 0, OUTPUTS: 0}
        starts: dict[str, tuple[str, int]] = {}
        for name in self.op.tensors:
            memory = INPUTS if name in self.op.inputs else OUTPUTS
            start = -(-(ends[memory] + self.guard_bytes) // ALIGNMENT) * ALIGNMENT
            start += self.offsets.get(name, 0) * ITEMSIZE[self.dtype]
            elements = math.prod(self.op.shape(name, self.layout, self.axes))
            end = start + elements * ITEMSIZE[self.dtype] + self.guard_bytes
            ends[memory] = -(-end // ALIGNMENT) * ALIGNMENT
            starts[name] = memory, start
        return {
            name: Placed(
                memory,
                start,
                ends[memory],
                self.op.shape(name, self.layout, self.axes),
                self.op.strides(name, self.layout, self.axes),
                self.dtype,
            )
            for name, (memory, start) in starts.items()
        }

    def bytes_of(self, memory: str) -> int:
        """Bytes that all slots need in one memory."""
        sizes = (placed.slot_bytes for placed in self.placed.values() if placed.memory == memory)
        return self.slots * max(sizes)

    def message(self, device: str) -> list[dict[str, Any]]:
        """The tensors as a player binds them."""
        return [placed.message(device) for placed in self.placed.values()]


def slot_bytes(op: Op, layout: str, axes: Mapping[str, int], dtype: str, guard_bytes: int) -> int:
    """Bytes that one slot of a case takes: inputs once, outputs once."""
    case = Case(op, layout, axes, dtype, 1, guard_bytes)
    return case.bytes_of(INPUTS) + case.bytes_of(OUTPUTS)
