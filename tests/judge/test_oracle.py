# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import pytest
import torch

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.compare import Bounds, compare
from bench.judge.data import CaseData, fresh_inputs
from bench.judge.oracle import envelopes, expected_output, upcast
from bench.judge.random_bits import RandomBits
from bench.judge.special import combinations, plant_specials, special_values
from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.op import Op
from tests.judge.exact_rounding import product, total

DTYPES = ("bfloat16", "float16", "float32")
GATE, FOUR_D = OPS["residual_gate_add"], OPS["broadcast_add_4d"]
ANY_ULPS = 1 << 40


def fresh(op: Op, dtype: str, layout: str | None = None, **axes: int) -> CaseData:
    case = Case(op, layout or next(iter(op.layouts)), axes, dtype, 1, 64)
    sizes = (case.bytes_of(INPUTS), case.bytes_of(OUTPUTS))
    data = CaseData(case, *(torch.zeros(size, dtype=torch.uint8) for size in sizes))
    fresh_inputs(case, data.inputs, RandomBits("cpu", 5))
    return data


def inputs_of(data: CaseData) -> list[torch.Tensor]:
    return [data.view(name) for name in data.case.op.inputs]


def reference(rounding: Rounding, dtype: str, values: list[list[float]]) -> torch.Tensor:
    step = dtype if rounding is Rounding.EACH_STEP else None
    results = [total(r, product(u, g, step), dtype) for r, u, g in zip(*values, strict=True)]
    return torch.tensor(results, dtype=torch.float64).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rounding", list(Rounding))
@pytest.mark.parametrize("special", [False, True])
def test_the_oracle_is_the_formula_in_exact_arithmetic(
    dtype: str, rounding: Rounding, special: bool
) -> None:
    width = combinations(3) if special else 2000
    data = fresh(GATE, dtype, B=1, L=1, D=width)
    if special:
        plant_specials(data)
    inputs = inputs_of(data)
    exact = reference(rounding, dtype, [one.flatten().double().tolist() for one in inputs])
    (got,) = expected_output(GATE, rounding, inputs, torch.float64)
    if not (dtype == "float32" and rounding is Rounding.ONCE):
        assert compare(got.flatten(), exact, Bounds(0, 1, 0), None).difference is None
    (got,) = expected_output(GATE, rounding, inputs, upcast(dtype))
    result = compare(got.flatten(), exact, Bounds(0, 1, int(rounding is Rounding.ONCE)), None)
    assert result.difference is None, result.difference


def test_special_values_meet_in_every_combination() -> None:
    data = fresh(GATE, "float16", B=2, L=2, D=combinations(3))
    plant_specials(data)
    bits = [one.contiguous().view(torch.int16)[0, 1, 1].tolist() for one in inputs_of(data)]
    wanted = [special_values("float16", i, torch.device("cpu")) for i in range(3)]
    found = set(zip(*bits, strict=True))
    assert found == set(itertools.product(*(one.view(torch.int16).tolist() for one in wanted)))


Mutant = Callable[..., torch.Tensor]
TERMS: dict[str, tuple[Op, Mutant]] = {
    "no residual": (GATE, lambda at, r, u, g: at.step(u * g)),
    "no update": (GATE, lambda at, r, u, g: r + g),
    "no gate": (GATE, lambda at, r, u, g: r + u),
    "residual only": (GATE, lambda at, r, u, g: r.clone()),
    "residual constant": (GATE, lambda at, r, u, g: 1 + at.step(u * g)),
    "update constant": (GATE, lambda at, r, u, g: r + at.step(1.125 * g)),
    "gate constant": (GATE, lambda at, r, u, g: r + at.step(1.125 * u)),
    "gate of one row": (GATE, lambda at, r, u, g: r + at.step(u * g[..., :1, :])),
    "gate of one column": (GATE, lambda at, r, u, g: r + at.step(u * g[..., :1])),
    "minus": (GATE, lambda at, r, u, g: r - at.step(u * g)),
    "sign of the gate lost": (GATE, lambda at, r, u, g: r + at.step(u * g.abs())),
    "neighbour's update": (GATE, lambda at, r, u, g: r + at.step(u.roll(1, -1) * g)),
    "no table": (FOUR_D, lambda at, a, b: b.clone()),
    "table only": (FOUR_D, lambda at, a, b: a.expand_as(b).clone()),
    "table constant": (FOUR_D, lambda at, a, b: 1.125 + b),
    "one row of the table": (FOUR_D, lambda at, a, b: a[..., :1, :] + b),
    "one frame": (FOUR_D, lambda at, a, b: (a + b[:, :, :1]).expand_as(b).clone()),
}
SIZES = {GATE: {"B": 1, "L": 9, "D": 130}, FOUR_D: {"S": 5, "P": 3, "D": 130}}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", list(TERMS))
def test_each_operand_moves_the_result_beyond_the_frozen_tolerance(name: str, dtype: str) -> None:
    op, oracle = TERMS[name]
    tolerance = 1e-5 if dtype == "float32" else 0.05
    inputs = inputs_of(fresh(op, dtype, **SIZES[op]))
    (right,) = expected_output(op, Rounding.EACH_STEP, inputs, torch.float64)
    mutant = dataclasses.replace(op, oracle=oracle)
    (wrong,) = expected_output(mutant, Rounding.EACH_STEP, inputs, torch.float64)
    difference = compare(wrong, right, Bounds(tolerance, tolerance, ANY_ULPS), None).difference
    assert difference is not None
    assert difference.mismatches > 0.4 * right.numel()


@pytest.mark.parametrize("dtype", DTYPES)
def test_another_rounding_is_seen_under_either(dtype: str) -> None:
    inputs = inputs_of(fresh(GATE, dtype, B=1, L=64, D=257))
    once, each = (
        expected_output(GATE, one, inputs, torch.float64)[0]
        for one in (Rounding.ONCE, Rounding.EACH_STEP)
    )
    assert compare(once, each, Bounds(0.05, 0.05, 0), None).difference is not None
    assert compare(each, once, Bounds(0.05, 0.05, 1), None).difference is not None


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_truncation_is_seen_where_results_must_equal_eager(dtype: str) -> None:
    inputs = inputs_of(fresh(GATE, dtype, B=1, L=8, D=257))
    (right,) = expected_output(GATE, Rounding.EACH_STEP, inputs, torch.float32)
    product_of = (inputs[1].float() * inputs[2].float()).to(right.dtype).float()
    exact = inputs[0].double() + product_of.double()
    toward_zero = torch.where(
        right.double().abs() > exact.abs(), right.view(torch.int16) - 1, right.view(torch.int16)
    )
    wrong = compare(toward_zero.view(right.dtype), right, Bounds(0.05, 0.05, 0), None).difference
    assert wrong is not None
    assert wrong.mismatches > 0.1 * right.numel()
    assert "rounding" in wrong.cause


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_a_sum_rounded_once_in_truth_is_as_right_as_one_that_float32_held_before(norm: str) -> None:
    """A kernel with 16-bit multiply-adds rounds a large value of the row to the other side."""
    op = OPS[f"residual_gate_{norm}_norm_modulate"]
    generator = torch.Generator().manual_seed(3)
    residual, update, gate, scale, shift = torch.randn((5, 1, 16, 8), generator=generator) / 8
    residual[..., 0], update[..., 0], gate[..., 0] = -1e-30, 1.5, 1.0078125  # a tie, less a little
    inputs = [one.bfloat16() for one in (residual, update, gate, scale, shift)]
    exact = [one.double() for one in inputs]
    kept = (exact[0] + exact[1] * exact[2]).bfloat16()
    kept[..., 0] = 1.5078125
    assert (kept != expected_output(op, Rounding.ONCE, inputs, torch.float32)[0])[..., 0].all()
    x = kept.double()
    centered = x - x.mean(-1, keepdim=True) if norm == "layer" else x
    normalized = centered / (centered.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    outputs = (kept, (normalized * (1 + exact[3]) + exact[4]).bfloat16())
    wanted = expected_output(op, Rounding.ONCE, inputs, torch.float32)
    ends = envelopes(op, Rounding.ONCE, inputs, torch.float32)
    for got, want, one in zip(outputs, wanted, ends, strict=True):
        difference = compare(got, want, Bounds(0, 1, 0), None, envelope=one).difference
        assert difference is None, str(difference)
    assert not torch.equal(outputs[1], wanted[1]), "the other rounding must show in the row"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rounding", list(Rounding))
def test_beside_an_infinite_value_a_row_of_rms_norm_is_its_shift(
    dtype: str, rounding: Rounding
) -> None:
    op = OPS["residual_gate_rms_norm_modulate"]
    inputs = [torch.full((1, 1, 8), 2.0, dtype=getattr(torch, dtype)) for _ in op.inputs]
    inputs[0][..., 0] = torch.inf
    out = expected_output(op, rounding, inputs, upcast(dtype))[1]
    assert out[..., 0].isnan() and torch.equal(out[..., 1:], inputs[4][..., 1:])
