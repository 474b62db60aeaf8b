# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.judge.case import ALIGNMENT, INPUTS, OUTPUTS, Case, slot_bytes
from bench.ops import OPS
from bench.task.tensor import ITEMSIZE

SIZES = st.integers(0, 9)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    op = draw(st.sampled_from(list(OPS.values())))
    layout = draw(st.sampled_from(list(op.layouts)))
    axes = {name: draw(SIZES) for name in op.axes_names}
    dtype = draw(st.sampled_from(op.dtypes))
    offsets = {name: draw(st.integers(0, 9)) for name in op.tensors if draw(st.booleans())}
    return Case(
        op, layout, axes, dtype, draw(st.integers(1, 4)), draw(st.integers(0, 600)), offsets
    )


def ranges(case: Case, memory: str) -> list[tuple[int, int]]:
    """Bytes of every tensor with its guards, in all slots."""
    return sorted(
        (
            placed.offset + slot * placed.slot_bytes - case.guard_bytes,
            placed.offset + slot * placed.slot_bytes + placed.payload_bytes + case.guard_bytes,
        )
        for placed in case.placed.values()
        if placed.memory == memory
        for slot in range(case.slots)
    )


@settings(deadline=None, max_examples=200)
@given(cases())
def test_no_two_tensors_or_guards_of_any_slots_share_a_byte(case: Case) -> None:
    for memory in (INPUTS, OUTPUTS):
        taken = ranges(case, memory)
        assert taken[0][0] >= 0
        assert taken[-1][1] <= case.bytes_of(memory)
        for (_, end), (start, _) in itertools.pairwise(taken):
            assert end <= start


@settings(deadline=None, max_examples=200)
@given(cases())
def test_a_tensor_is_off_its_alignment_by_its_offset_and_no_more(case: Case) -> None:
    for name, placed in case.placed.items():
        moved = case.offsets.get(name, 0) * ITEMSIZE[case.dtype]
        for slot in range(case.slots):
            assert (placed.offset + slot * placed.slot_bytes - moved) % ALIGNMENT == 0


@pytest.mark.parametrize("guard_bytes", [0, 1, 255, 4096])
def test_inputs_and_outputs_lie_in_memories_of_their_own(guard_bytes: int) -> None:
    op = OPS["residual_gate_add"]
    case = Case(op, "row", {"B": 2, "L": 3, "D": 5}, "float16", 2, guard_bytes)
    where = {name: placed.memory for name, placed in case.placed.items()}
    assert where == {"residual": INPUTS, "update": INPUTS, "gate": INPUTS, "out": OUTPUTS}
    assert case.placed["gate"].shape == (1, 1, 5)
    assert case.placed["out"].shape == (2, 3, 5)
    assert case.placed["out"].strides == (15, 5, 1)


def test_the_message_to_a_player_says_where_and_nothing_of_what() -> None:
    case = Case(OPS["broadcast_add_4d"], "broadcast", {"S": 2, "P": 3, "D": 4}, "float32", 1, 64)
    message = case.message("cpu")
    keys = {"memory", "offset", "slot_bytes", "shape", "strides", "dtype", "device"}
    assert [set(tensor) for tensor in message] == [keys] * 3
    assert [tensor["shape"] for tensor in message] == [[1, 1, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]


def test_slot_bytes_are_those_of_both_memories() -> None:
    op = OPS["residual_gate_add"]
    axes = {"B": 1, "L": 7, "D": 33}
    case = Case(op, "full", axes, "bfloat16", 1, 128)
    total = case.bytes_of(INPUTS) + case.bytes_of(OUTPUTS)
    assert slot_bytes(op, "full", axes, "bfloat16", 128) == total
    assert total >= op.bytes_moved("full", axes, "bfloat16") + 4 * 2 * 128
