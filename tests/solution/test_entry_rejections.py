# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import torch

from bench.judge.oracle import expected_output
from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.validate import validate

LAYOUTS = [(op.name, layout) for op in OPS.values() for layout in op.layouts]
EVERY_LAYOUT = pytest.mark.parametrize(("op", "layout"), LAYOUTS)


def tensor_in(arena, spec):
    dtype = getattr(torch, spec.dtype)
    elements = arena[: arena.numel() // dtype.itemsize * dtype.itemsize].view(dtype)
    return elements.as_strided(spec.shape, spec.strides, spec.offset // dtype.itemsize)


def refusal(call, *arguments):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*arguments)
    return type(caught.value), str(caught.value)


@EVERY_LAYOUT
def test_cpp_refuses_what_the_validator_refuses_in_the_same_words(op, layout, cpu_entry):
    entry = cpu_entry(op, "each_step")
    rejections = OPS[op].rejections(layout)
    assert len(rejections) > 40
    for rejection in rejections:
        arena = torch.zeros(rejection.arena_bytes("cpu") + 64, dtype=torch.uint8)
        tensors = [tensor_in(arena, spec) for spec in rejection.tensors]
        expected = refusal(validate, OPS[op], rejection.tensors, "cpu")
        assert refusal(entry.call, *tensors) == expected, rejection.name
        assert refusal(entry.plan, *tensors) == expected, rejection.name
        assert not arena.any(), f"{rejection.name}: refused, and yet wrote"


@EVERY_LAYOUT
def test_the_legal_call_that_the_rejections_start_from_is_accepted(op, layout, cpu_entry):
    axes = {"B": 2, "L": 3, "S": 3, "P": 2, "D": 24}
    tensors = [torch.ones(OPS[op].shape(name, layout, axes)) for name in OPS[op].tensors]
    cpu_entry(op, "each_step").call(*tensors)
    count = len(OPS[op].inputs)
    inputs, outputs = tensors[:count], tensors[count:]
    wanted = expected_output(OPS[op], Rounding.EACH_STEP, inputs, torch.float64)
    assert all(torch.allclose(got, want) for got, want in zip(outputs, wanted, strict=True))


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (([128, 4096], [1, 2, 8], [1, 2, 8], [1, 2, 8]),
         "residual: expected shape [B, L, D], got [128, 4096]"),
        (([1, 2, 8], [1, 2, 8], [8], [1, 2, 8]),
         "gate: expected shape [1, 2, 8] or [1, 1, 8], got [8]"),
        (([2, 2, 8], [2, 2, 8], [2, 1, 8], [2, 2, 8]),
         "gate: expected shape [2, 2, 8] or [1, 1, 8], got [2, 1, 8]"),
        (([1, 1, 8], [1, 1, 8], [1, 2, 8], [1, 1, 8]),
         "gate: expected shape [1, 1, 8], got [1, 2, 8]"),
        (([1, 2, 8], [1, 2, 8], [1, 1, 8], [1, 2, 8, 1]),
         "out: expected shape [1, 2, 8], got [1, 2, 8, 1]"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_refused_in_these_words(shapes, sentence, cpu_entry):
    call = cpu_entry("residual_gate_add", "each_step").call
    assert refusal(call, *(torch.ones(shape) for shape in shapes)) == (ValueError, sentence)


def test_a_strided_gate_is_told_the_strides_it_should_have(cpu_entry):
    residual, update, out = (torch.ones(1, 4, 8) for _ in range(3))
    gate = torch.ones(1, 4, 16)[:, :, ::2]
    assert refusal(cpu_entry("residual_gate_add", "once").call, residual, update, gate, out) == (
        ValueError,
        "gate: expected contiguous strides [32, 8, 1], got [64, 16, 2]; "
        "call .contiguous() on it first",
    )


def test_a_wrong_number_of_arguments_says_how_many_are_wanted(cpu_entry):
    tensors = [torch.ones(1, 2, 8)] * 3
    call = cpu_entry("residual_gate_add", "each_step").call
    assert refusal(call, *tensors) == (
        TypeError,
        "residual_gate_add: expected 4 tensors, got 3 arguments",
    )


def test_an_argument_that_is_no_tensor_is_named(cpu_entry):
    call = cpu_entry("broadcast_add_4d", "each_step").call
    assert refusal(call, torch.ones(1, 1, 2, 8), 3.0, torch.ones(1, 1, 2, 8)) == (
        TypeError,
        "b: expected a tensor, got another type",
    )


def test_empty_tensors_are_legal_even_at_one_address(cpu_entry):
    empty = torch.empty(1, 0, 8)
    cpu_entry("residual_gate_add", "each_step").call(empty, empty, torch.ones(1, 1, 8), empty)


def test_tensors_that_lie_side_by_side_share_no_byte(cpu_entry):
    storage = torch.ones(4 * 16)
    tensors = [storage[i * 16 : (i + 1) * 16].view(1, 2, 8) for i in (0, 2, 3, 1)]
    cpu_entry("residual_gate_add", "each_step").call(*tensors)
    assert storage.tolist() == [1.0] * 16 + [2.0] * 16 + [1.0] * 32


def test_the_stride_of_an_axis_of_size_1_does_not_matter(cpu_entry):
    odd = torch.ones(64).as_strided((1, 4, 8), (999, 8, 1))
    gate = torch.ones(64).as_strided((1, 1, 8), (7, 3, 1))
    out = torch.empty(1, 4, 8)
    cpu_entry("residual_gate_add", "each_step").call(odd, odd, gate, out)
    assert out.eq(2).all()
