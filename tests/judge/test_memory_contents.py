# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import torch

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.data import CaseData, broken_guards, dirty_outputs, fresh_inputs, same_bytes
from bench.judge.random_bits import PIECE_WORDS, RandomBits
from bench.ops import OPS

INTEGER = {"bfloat16": torch.int16, "float16": torch.int16, "float32": torch.int32}
DTYPES = tuple(INTEGER)
AXES = {"B": 2, "L": 5, "D": 67}


def filled(
    dtype: str = "bfloat16", seed: int = 1, offsets: dict[str, int] | None = None
) -> CaseData:
    case = Case(OPS["residual_gate_add"], "full", AXES, dtype, 3, 256, offsets or {})
    sizes = (case.bytes_of(INPUTS), case.bytes_of(OUTPUTS))
    data = CaseData(case, *(torch.zeros(size, dtype=torch.uint8) for size in sizes))
    fresh_inputs(case, data.inputs, RandomBits("cpu", seed))
    dirty_outputs(case, data.outputs, 0)
    return data


@pytest.mark.parametrize("dtype", DTYPES)
def test_magnitudes_lie_from_one_half_to_two_with_both_signs_and_full_mantissas(dtype: str) -> None:
    data = filled(dtype, offsets={"update": 1, "gate": 3})
    for name in data.case.op.inputs:
        values = data.view(name).double()
        assert float(values.abs().min()) >= 0.5
        assert float(values.abs().max()) < 2
        assert 0.4 < float((values < 0).double().mean()) < 0.6
        assert float(values.abs().mean()) == pytest.approx(1.125, abs=0.05)
        bits = data.view(name).contiguous().view(INTEGER[dtype])
        assert {int(bit) for bit in (bits & 1).unique()} == {0, 1}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    assert filled(seed=3).inputs.equal(filled(seed=3).inputs)
    different = filled(seed=3).view("gate") != filled(seed=4).view("gate")
    assert float(different.double().mean()) > 0.9


def test_each_slot_and_each_operand_has_values_of_its_own() -> None:
    data = filled()
    views = [data.view(name)[slot] for name in data.case.op.inputs for slot in range(3)]
    for index, one in enumerate(views):
        for other in views[:index]:
            assert float((one != other).double().mean()) > 0.9


@pytest.mark.parametrize("dtype", DTYPES)
def test_poison_is_a_signalling_nan_in_every_element_whatever_the_nonce(dtype: str) -> None:
    data = filled(dtype)
    quiet = {"bfloat16": 0x40, "float16": 0x200, "float32": 0x400000}[dtype]
    seen = set()
    for nonce in range(16):
        bits = dirty_outputs(data.case, data.outputs, nonce)
        view = data.view("out")
        assert bool(view.isnan().all())
        assert {int(one) for one in view.contiguous().view(INTEGER[dtype]).unique()} == {bits}
        assert not bits & quiet, "arithmetic returns quiet NaNs, which must not look unwritten"
        seen.add(bits)
    assert len(seen) > 4, "a solution must not know the poison in advance"


@pytest.mark.parametrize("memory", [INPUTS, OUTPUTS])
def test_every_guard_byte_of_every_slot_is_watched(memory: str) -> None:
    data = filled()
    raw = data.inputs if memory == INPUTS else data.outputs
    assert broken_guards(data.case, raw, memory) == []
    for name, placed in data.case.placed.items():
        if placed.memory != memory:
            continue
        for slot in range(3):
            start = placed.offset + slot * placed.slot_bytes
            for byte, where in (
                (start - 256, f"before {name} in slot {slot}, byte 0 of 256"),
                (start - 1, f"before {name} in slot {slot}, byte 255 of 256"),
                (start + placed.payload_bytes, f"after {name} in slot {slot}, byte 0 of 256"),
                (
                    start + placed.payload_bytes + 255,
                    f"after {name} in slot {slot}, byte 255 of 256",
                ),
            ):
                raw[byte] ^= 1
                assert broken_guards(data.case, raw, memory) == [where]
                raw[byte] ^= 1


def test_writing_a_whole_tensor_touches_no_guard() -> None:
    data = filled(offsets={"out": 5, "gate": 1})
    for name in data.case.op.tensors:
        data.view(name).fill_(7)
    assert broken_guards(data.case, data.inputs, INPUTS) == []
    assert broken_guards(data.case, data.outputs, OUTPUTS) == []


def test_one_bit_anywhere_tells_two_memories_apart() -> None:
    left = torch.randint(0, 256, (4096,), dtype=torch.uint8)
    right = left.clone()
    for byte in (0, 1, 2047, 4095):
        assert same_bytes(left, right, 4096)
        right[byte] ^= 0x80
        assert not same_bytes(left, right, 4096)
        assert same_bytes(left, right, byte // 8 * 8), "only the first bytes are looked at"
        right[byte] ^= 0x80


def test_random_bits_differ_between_pieces_fills_and_seeds_whatever_the_threads() -> None:
    def fill(bits: RandomBits, pieces: int = 3) -> torch.Tensor:
        words = torch.zeros(pieces * PIECE_WORDS + 5, dtype=torch.int64)
        bits.fill(words, -1, 0)
        return words

    bits = RandomBits("cpu", 7)
    first, second = fill(bits), fill(bits)
    parts = [*first.split(PIECE_WORDS)[:3], *second.split(PIECE_WORDS)[:3]]
    parts.append(fill(RandomBits("cpu", 8)).split(PIECE_WORDS)[0])
    assert len(torch.cat(parts).unique()) == len(parts) * PIECE_WORDS
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    assert fill(RandomBits("cpu", 7)).equal(first)
    torch.set_num_threads(threads)
    bits.manual_seed(7)
    assert fill(bits).equal(first)
