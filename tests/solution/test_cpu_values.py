# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import torch
from special_values import differing, fused_multiply_add, special_triples, special_values

from bench.judge.compare import Bounds, compare
from bench.judge.oracle import envelopes, expected_output, upcast
from bench.ops import OPS
from bench.task.arithmetic import Rounding

DTYPES = [torch.bfloat16, torch.float16, torch.float32]
ROUNDINGS = ("once", "each_step")
PLAIN_X86 = ("-O3", "-march=x86-64", "-Wall", "-Wextra", "-Werror")  # no F16C, no FMA, no AVX


def expected(op, rounding, *inputs):
    """Torch's own sequence for each_step; for once a fused multiply-add, rounded to the dtype."""
    if op == "broadcast_add_4d":
        return torch.add(*inputs)
    residual, update, gate = inputs
    if rounding == "each_step":
        return torch.add(residual, torch.mul(update, gate))
    return fused_multiply_add(update, gate, residual).to(residual.dtype)


def misaligned(shape, dtype, offset, generator):
    """A contiguous tensor `offset` elements into its storage, with canaries round it."""
    count = torch.Size(shape).numel()
    storage = torch.full((count + offset + 16,), 77.0, dtype=dtype)
    values = torch.randn(count, generator=generator).mul(2.0).to(dtype)
    storage[offset : offset + count] = values
    return storage, storage[offset : offset + count].view(shape)


def within(op, rounding, inputs, outputs):
    """How outputs leave the oracle's envelope: what nobody has exactly has no bits to meet."""
    compute = upcast(str(inputs[0].dtype).removeprefix("torch."))
    wanted = expected_output(op, rounding, inputs, compute)
    ends = envelopes(op, rounding, inputs, compute)
    bounds = Bounds(1e-5 if compute is torch.float64 else 0.05, 0.05, 0)
    found = [
        compare(got, want, bounds, None, envelope=one).difference
        for got, want, one in zip(outputs, wanted, ends, strict=True)
    ]
    return [str(one) for one in found if one is not None]


def run(call, inputs, *outputs):
    for out in outputs:
        out.fill_(float("nan"))
    assert call(*inputs, *outputs) is None


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("op", OPS)
def test_every_point_of_the_grid_is_right_to_the_bit(op, rounding, cpu_entry):
    call = cpu_entry(op, rounding).call
    generator = torch.Generator().manual_seed(7)
    contract = OPS[op]
    points = contract.grid(2)
    if contract.inexact:  # slow to judge: every other point in either rounding
        points = points[ROUNDINGS.index(rounding) :: len(ROUNDINGS)]
    for point in points:
        held = [
            misaligned(
                contract.shape(name, point.layout, point.axes),
                getattr(torch, point.dtype),
                point.offsets.get(name, 0),
                generator,
            )
            for name in contract.tensors
        ]
        views = [view for _, view in held]
        inputs, outputs = views[: len(contract.inputs)], views[len(contract.inputs) :]
        before = [storage.clone() for storage, _ in held]
        run(call, inputs, *outputs)
        if contract.inexact:
            assert within(contract, Rounding(rounding), inputs, outputs) == [], str(point)
        else:
            assert differing(outputs[0], expected(op, rounding, *inputs)) == 0, str(point)
        for (storage, view), was, name in zip(held, before, contract.tensors, strict=True):
            if any(
                view is out for out in outputs
            ):  # what lies round the output must stay as it was
                view.copy_(was[storage.numel() - 16 - view.numel() : -16].view(view.shape))
            assert differing(storage, was) == 0, f"{point}: {name} was written outside its bounds"


@pytest.mark.parametrize("flags", [None, PLAIN_X86], ids=["native", "without-f16c-fma-avx"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_special_values_in_every_combination_are_right_to_the_bit(
    dtype, rounding, flags, cpu_entry
):
    entry = cpu_entry("residual_gate_add", rounding, *([flags] if flags else []))
    inputs = special_triples(dtype)
    out = torch.empty_like(inputs[0])
    run(entry.call, inputs, out)
    assert differing(out, expected("residual_gate_add", rounding, *inputs)) == 0


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_special_sums_of_the_4d_op_are_right_to_the_bit(dtype, cpu_entry):
    values = special_values(dtype)
    a = values.view(1, 1, 1, -1)
    b = values.view(1, -1, 1, 1).expand(1, -1, 1, len(values)).contiguous()
    out = torch.empty_like(b)
    run(cpu_entry("broadcast_add_4d", "each_step").call, [a, b], out)
    assert differing(out, a + b) == 0


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_every_half_precision_value_survives_without_f16c(rounding, cpu_entry):
    every = torch.arange(-(2**15), 2**15, dtype=torch.int16).view(torch.float16).view(1, 256, 256)
    update = torch.randn(1, 256, 256, generator=torch.Generator().manual_seed(3)).half()
    out = torch.empty_like(every)
    call = cpu_entry("residual_gate_add", rounding, PLAIN_X86).call
    for inputs in ([every, update, update.flip(1)], [update, every, update.flip(1)]):
        run(call, inputs, out)
        assert differing(out, expected("residual_gate_add", rounding, *inputs)) == 0


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_output_beyond_the_cache_is_streamed_and_right_to_the_bit(dtype, cpu_entry):
    entry = cpu_entry("residual_gate_add", "each_step")
    shape = (
        1,
        33 * 2**20 // 4609 // dtype.itemsize + 1,
        4609,
    )  # odd rows: each has a head and tail
    generator = torch.Generator().manual_seed(5)
    residual, update = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
    gate = torch.randn(1, 1, 4609, generator=generator).to(dtype)
    out = torch.empty_like(residual)
    if "stream" not in entry.plan(residual, update, gate, out):
        pytest.skip("this machine's last cache holds 33 MB; the streaming path cannot be reached")
    run(entry.call, [residual, update, gate], out)
    assert differing(out, expected("residual_gate_add", "each_step", residual, update, gate)) == 0


def test_the_two_roundings_differ(cpu_entry):
    inputs = [torch.randn(1, 64, 64, generator=torch.Generator().manual_seed(1)).bfloat16()] * 3
    once, each_step = (torch.empty_like(inputs[0]) for _ in range(2))
    run(cpu_entry("residual_gate_add", "once").call, inputs, once)
    run(cpu_entry("residual_gate_add", "each_step").call, inputs, each_step)
    assert differing(once, each_step) > 100


def test_a_small_call_stays_on_its_thread_and_names_its_layout(cpu_entry):
    plan = cpu_entry("residual_gate_add", "each_step").plan
    small = [torch.ones(1, 4, 64).bfloat16() for _ in range(4)]
    assert plan(*small) == "full 1 threads vec16"
    small[2] = torch.ones(1, 1, 64).bfloat16()
    assert plan(*small) == "row 1 threads vec16"
