# SPDX-License-Identifier: Apache-2.0
"""Fills, poisons and guards the judge's memory.

Values are random bits masked to magnitudes in [0.5, 2): every operand moves the result by far more
than any tolerance, mantissas are full, and filling is as fast as memory, on a GPU and on a CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from bench.judge.case import INPUTS, OUTPUTS, Case, Placed
from bench.judge.random_bits import RandomBits
from bench.task.tensor import ITEMSIZE

# dtype -> (bits kept random: sign, one exponent bit, mantissa; bits set), repeated over 8 bytes
MASKS = {
    "bfloat16": (0x80FF, 0x3F00),
    "float16": (0x87FF, 0x3800),
    "float32": (0x80FFFFFF, 0x3F000000),
}
POISON = {  # a NaN that no arithmetic returns; the low bits vary from fill to fill
    "bfloat16": 0x7FA0,
    "float16": 0x7DA0,
    "float32": 0x7FA5A500,
}
GUARD_SEED = 0x5DEECE66D


@dataclass
class CaseData:
    """A case's bytes in the judge's hands; `outputs` belongs to one player."""

    case: Case
    inputs: torch.Tensor
    outputs: torch.Tensor

    def view(self, name: str) -> torch.Tensor:
        """A tensor in all slots: shape [slots, *shape]."""
        placed = self.case.placed[name]
        return slots_view(self.memory(placed), placed, self.case.slots)

    def memory(self, placed: Placed) -> torch.Tensor:
        """The memory in which a tensor lies."""
        return self.inputs if placed.memory == INPUTS else self.outputs


def slots_view(memory: torch.Tensor, placed: Placed, slots: int) -> torch.Tensor:
    """View a placed tensor in all slots of its memory: shape [slots, *shape]."""
    size = ITEMSIZE[placed.dtype]
    typed = memory.view(getattr(torch, placed.dtype))
    return typed.as_strided(
        (slots, *placed.shape), (placed.slot_bytes // size, *placed.strides), placed.offset // size
    )


def fill(memory: torch.Tensor, size: int, dtype: str, bits: RandomBits) -> None:
    """Fill the first `size` bytes of a memory with random values of a dtype."""
    keep, put = (_repeat(bits, ITEMSIZE[dtype]) for bits in MASKS[dtype])
    bits.fill(words_of(memory, size), keep, put)


def poison(outputs: torch.Tensor, size: int, dtype: str, nonce: int) -> int:
    """Fill with the poison NaN; return its bits, of the dtype's width, for this nonce."""
    bits = POISON[dtype] | (nonce & 0xF) | 1
    words_of(outputs, size).fill_(_repeat(bits, ITEMSIZE[dtype]))
    return bits


def guard_pattern(case: Case, device: torch.device) -> torch.Tensor:
    """The bytes that stand before and after every tensor."""
    generator = torch.Generator().manual_seed(GUARD_SEED)
    return torch.randint(0, 256, (case.guard_bytes,), dtype=torch.uint8, generator=generator).to(
        device
    )


def lay_guards(case: Case, memory: torch.Tensor, name: str) -> None:
    """Write the guard bytes round every tensor of one memory."""
    pattern = guard_pattern(case, memory.device)
    for _, view in _guards(case, memory, name):
        view.copy_(pattern)


def broken_guards(case: Case, memory: torch.Tensor, name: str) -> list[str]:
    """Return where guard bytes were overwritten: `after out in slot 3, first at byte 0`."""
    pattern = guard_pattern(case, memory.device)
    found = []
    for where, view in _guards(case, memory, name):
        wrong = view != pattern
        if bool(wrong.any()):
            slot, byte = (int(i) for i in wrong.nonzero()[0])
            found.append(f"{where} in slot {slot}, byte {byte} of {case.guard_bytes}")
    return found


def _guards(case: Case, memory: torch.Tensor, name: str) -> Iterator[tuple[str, torch.Tensor]]:
    for tensor, placed in case.placed.items():
        if placed.memory == name:
            shape, strides = (case.slots, case.guard_bytes), (placed.slot_bytes, 1)
            before = placed.offset - case.guard_bytes
            yield f"before {tensor}", memory.as_strided(shape, strides, before)
            after = placed.offset + placed.payload_bytes
            yield f"after {tensor}", memory.as_strided(shape, strides, after)


def words_of(memory: torch.Tensor, size: int) -> torch.Tensor:
    """The first `size` bytes of a memory as int64 words; every case's size is a multiple of 8."""
    return memory[:size].view(torch.int64)


def same_bytes(left: torch.Tensor, right: torch.Tensor, size: int) -> bool:
    """Whether two memories agree in each of their first `size` bytes."""
    return torch.equal(words_of(left, size), words_of(right, size))


def _repeat(bits: int, itemsize: int) -> int:
    whole = sum(bits << (8 * itemsize * i) for i in range(8 // itemsize))
    return whole - (1 << 64) if whole >= 1 << 63 else whole


def dirty_outputs(case: Case, outputs: torch.Tensor, nonce: int) -> int:
    """Poison every output of a case and lay its guards; return the poison's bits."""
    bits = poison(outputs, case.bytes_of(OUTPUTS), case.dtype, nonce)
    lay_guards(case, outputs, OUTPUTS)
    return bits


def fresh_inputs(case: Case, inputs: torch.Tensor, bits: RandomBits) -> None:
    """Fill every input of a case with new values and lay its guards."""
    fill(inputs, case.bytes_of(INPUTS), case.dtype, bits)
    lay_guards(case, inputs, INPUTS)
