# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bench.task.tensor import ITEMSIZE, TensorSpec, contiguous_strides

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def spec_of(shape, strides, offset=0, name="x"):
    return TensorSpec(name, shape, strides, "bfloat16", "cpu", offset)


@given(SHAPES)
def test_contiguous_strides_are_those_of_a_fresh_torch_tensor(shape):
    assert contiguous_strides(shape) == torch.empty(shape).stride()


@given(SHAPES, st.data())
def test_contiguity_and_span_agree_with_torch(shape, data):
    strides = tuple(data.draw(st.sampled_from((0, 1, 2, 3, 4, 12, 24))) for _ in shape)
    tensor = torch.empty(2048, dtype=torch.bfloat16).as_strided(shape, strides)
    spec = TensorSpec.of("x", tensor)
    assert spec.is_contiguous == tensor.is_contiguous()
    touched = [2 * (i + 1) for i in indices(shape, strides)]
    assert spec.span_bytes == max(touched, default=0)
    assert spec.numel == tensor.numel()


def indices(shape, strides):
    if not shape:
        return [0]
    rest = indices(shape[1:], strides[1:])
    return [i * strides[0] + one for i in range(shape[0]) for one in rest]


def test_a_spec_carries_what_torch_says_of_the_tensor():
    tensor = torch.empty(3, 8, dtype=torch.float16)[1:, ::2]
    spec = TensorSpec.of("gate", tensor)
    assert spec == TensorSpec("gate", (2, 4), (8, 2), "float16", "cpu", tensor.data_ptr())


@pytest.mark.parametrize("dtype", ITEMSIZE)
def test_item_sizes_are_those_of_torch(dtype):
    assert getattr(torch, dtype).itemsize == ITEMSIZE[dtype]


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 3), st.integers(0, 3))
def test_overlap_is_a_shared_byte(start, other_start, length, other_length):
    one, other = spec_of((length,), (1,), start), spec_of((other_length,), (1,), other_start)
    bytes_of = [set(range(s.offset, s.offset + 2 * s.numel)) for s in (one, other)]
    assert one.overlaps(other) == bool(bytes_of[0] & bytes_of[1])
    assert one.overlaps(other) == other.overlaps(one)


def test_a_tensor_past_two_to_the_thirty_one_elements_keeps_its_size():
    spec = spec_of((1, 3, 2**31), contiguous_strides((1, 3, 2**31)))
    assert spec.span_bytes == 2 * math.prod((3, 2**31))
