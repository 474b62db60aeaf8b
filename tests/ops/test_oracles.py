# SPDX-License-Identifier: Apache-2.0
"""The oracles against exact rational arithmetic, element by element, with a rounding of its own."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
import torch

from bench.judge.oracle import evaluate
from bench.ops import OPS
from bench.task.arithmetic import Arithmetic, Rounding

# dtype -> significant bits, exponent of the smallest subnormal
FORMATS = {"bfloat16": (8, -133), "float16": (11, -24), "float32": (24, -149)}
AXES = (2, 3, 37)


def rounded(value: Fraction, dtype: str) -> Fraction:
    """The nearest value of the dtype, ties to even, without its largest exponent."""
    bits, smallest = FORMATS[dtype]
    if value == 0:
        return value
    exponent = math.floor(math.log2(abs(value))) - bits + 1
    exponent -= abs(value) < Fraction(2) ** (exponent + bits - 1)
    exponent += abs(value) >= Fraction(2) ** (exponent + bits)
    quantum = Fraction(2) ** max(exponent, smallest)
    return round(value / quantum) * quantum  # round() of a Fraction takes ties to even


FORMULAS = {
    "residual_gate_add": lambda step, residual, update, gate: residual + step(update * gate),
    "broadcast_add_4d": lambda step, a, b: a + b,
}


def data(op, layout, dtype, seed=7):
    """Values over many exponents, with ties and cancellations among them."""
    generator = torch.Generator().manual_seed(seed)
    axes = dict(zip(op.axes_names, AXES, strict=True))
    for name in op.inputs:
        shape = op.shape(name, layout, axes)
        values = torch.randn(shape, generator=generator)
        scale = torch.randint(-6, 7, shape, generator=generator)
        yield torch.ldexp(values, scale).to(getattr(torch, dtype))


def exact(op, inputs, dtype, rounding):
    """The expected outputs, flat, computed on Fractions."""

    def step(value):
        return rounded(value, dtype) if rounding is Rounding.EACH_STEP else value

    shape = torch.broadcast_shapes(*(one.shape for one in inputs))
    columns = [one.double().expand(shape).flatten().tolist() for one in inputs]
    for values in zip(*columns, strict=True):
        yield float(rounded(FORMULAS[op.name](step, *map(Fraction, values)), dtype))


CASES = [
    (op, layout, dtype, rounding)
    for op in OPS.values()
    for layout, dtype, rounding in itertools.product(op.layouts, op.dtypes, op.roundings)
    if op.name in FORMULAS
]


@pytest.mark.parametrize(
    ("op", "layout", "dtype", "rounding"),
    CASES,
    ids=["-".join((op.name, *rest, rounding.value)) for op, *rest, rounding in CASES],
)
def test_the_oracle_rounds_as_exact_arithmetic_does(op, layout, dtype, rounding):
    inputs = list(data(op, layout, dtype))
    target = getattr(torch, dtype)
    # Rounding once needs the sum in float64; each step alone is exact in float32 for the caller.
    wide = torch.float64 if rounding is Rounding.ONCE else torch.float32

    got = op.oracle(Arithmetic(rounding, target), *(one.to(wide) for one in inputs)).to(target)
    assert got.double().flatten().tolist() == list(exact(op, inputs, dtype, rounding))


def test_the_two_roundings_differ_somewhere_so_the_test_above_can_tell_them_apart():
    op = OPS["residual_gate_add"]
    for dtype in op.dtypes:
        inputs = list(data(op, "full", dtype))
        once, each = (list(exact(op, inputs, dtype, one)) for one in Rounding)
        assert once != each


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_the_oracle_works_on_chunks_of_its_slowest_axis(op):
    layout = next(iter(op.layouts))
    inputs = [one.float() for one in data(op, layout, "bfloat16")]
    whole = evaluate(op, Arithmetic(), inputs, torch.float32)
    axis = op.dims(next(iter(op.outputs)), layout).index(op.axes_names[0])
    parts = []
    for i in range(whole[0].shape[axis]):
        chunk = [x.narrow(axis, i, 1) if x.dim() > 1 and x.shape[axis] > 1 else x for x in inputs]
        parts.append(evaluate(op, Arithmetic(), chunk, torch.float32))
    for found, one in zip(zip(*parts, strict=True), whole, strict=True):
        assert torch.equal(torch.cat(found, axis), one)


@pytest.mark.parametrize("dtype", FORMATS)
def test_the_rounding_of_this_file_is_torchs(dtype):
    generator = torch.Generator().manual_seed(3)
    values = torch.ldexp(
        torch.randn(500, generator=generator, dtype=torch.float64),
        torch.randint(-30, 12, (500,), generator=generator),
    )
    expected = values.to(getattr(torch, dtype)).double().tolist()
    if dtype == "bfloat16":  # torch goes from float64 to bfloat16 through float32
        values = values.float().double()
        expected = values.to(torch.bfloat16).double().tolist()
    assert [float(rounded(Fraction(one), dtype)) for one in values.tolist()] == expected
