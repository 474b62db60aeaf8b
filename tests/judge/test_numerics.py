# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from bench.judge import numerics as numerics_module
from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.data import CaseData, fresh_inputs
from bench.judge.numerics import Numerics, numerics_of
from bench.judge.random_bits import RandomBits
from bench.judge.verify import compare_with_oracle, finding_of, measured, write_expected
from bench.ops import OPS
from bench.player.marks import INTEGER
from bench.record.status import Status
from bench.task.arithmetic import Arithmetic, Rounding
from tests.judge.exact_rounding import product, total

DTYPES = ("bfloat16", "float16", "float32")
CASES = {
    "residual_gate_add": ("row", {"B": 1, "L": 40, "D": 130}),
    "broadcast_add_4d": ("broadcast", {"S": 31, "P": 3, "D": 130}),
}


def answered(op: str, dtype: str, rounding: Rounding = Rounding.ONCE, slots: int = 1) -> CaseData:
    layout, axes = CASES[op]
    case = Case(OPS[op], layout, axes, dtype, slots, 64)
    sizes = (case.bytes_of(INPUTS), case.bytes_of(OUTPUTS))
    data = CaseData(case, *(torch.zeros(size, dtype=torch.uint8) for size in sizes))
    fresh_inputs(case, data.inputs, RandomBits("cpu", 7))
    write_expected(data, rounding, (0, slots))
    return data


def exact(data: CaseData) -> torch.Tensor:
    inputs = [data.view(name).double() for name in data.case.op.inputs]
    value: torch.Tensor = data.case.op.oracle(Arithmetic(), *inputs)
    return value.broadcast_to(data.view("out").shape)


def steps(value: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Values so many units of the last place larger in magnitude."""
    bits = value.contiguous().view(INTEGER[value.element_size()])
    return (bits + count.to(bits.dtype)).view(value.dtype)


WAYS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "toward zero": lambda near, far: -(near.abs() > far.abs()).int(),
    "away from zero": lambda near, far: (near.abs() < far.abs()).int(),
    "down": lambda near, far: torch.where(far > 0, -(near > far).int(), (near > far).int()),
    "up": lambda near, far: torch.where(far > 0, (near < far).int(), -(near < far).int()),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", list(CASES))
@pytest.mark.parametrize("way", list(WAYS))
def test_results_rounded_in_one_direction_fail_though_each_is_within_its_bounds(
    way: str, op: str, dtype: str
) -> None:
    data = answered(op, dtype)
    out, far = data.view("out"), exact(data)
    out.copy_(steps(out, WAYS[way](out.double(), far)))
    found = finding_of(compare_with_oracle(data, Rounding.ONCE, Bounds(0.05, 0.05, 1), None))
    assert found.passed, "one unit of the last place is what `once` allows"
    found = measured(found, data, (0, 1))
    assert found.status is Status.INCORRECT
    assert f"results lean {way}" in found.text


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", list(CASES))
@pytest.mark.parametrize("rounding", list(Rounding))
def test_rounding_to_nearest_leans_to_no_side(rounding: Rounding, op: str, dtype: str) -> None:
    numerics = numerics_of(answered(op, dtype, rounding), (0, 1))
    assert numerics.one_sided == ""
    elements = answered(op, dtype).view("out").numel()
    assert sum(numerics.ulp_histogram.values()) == numerics.elements == elements
    stepwise = rounding is Rounding.EACH_STEP and op == "residual_gate_add"
    assert (numerics.ulp_histogram["0"] == elements) is not stepwise


def test_the_mean_of_a_truncated_sum_is_that_of_exact_arithmetic() -> None:
    data = answered("residual_gate_add", "bfloat16")
    names = data.case.op.inputs
    full = [data.view(one).broadcast_to(data.view("out").shape) for one in names]
    r, u, g = (one.flatten().double().tolist() for one in full)
    outward = []
    for one in zip(r, u, g, strict=True):
        wanted = total(one[0], product(one[1], one[2], None), "bfloat16")
        far = one[0] + one[1] * one[2]  # exact: 16 bits and 8 within 53
        ulp = abs(float(steps(torch.tensor(wanted).bfloat16(), torch.tensor(1))) - wanted)
        over = abs(wanted) > abs(far)
        below = _below(wanted) if over else 0.0
        outward.append((abs(wanted) - abs(far) - below) / ulp)
    found = numerics_of(data, (0, 1)).truncated_ulps
    assert found == pytest.approx(sum(outward) / len(outward), abs=1e-12)


def _below(value: float) -> float:
    """From a bfloat16 value to the next one toward zero."""
    return abs(value) - abs(float(steps(torch.tensor(value).bfloat16(), torch.tensor(-1))))


@pytest.mark.parametrize("chunk", [64, 1 << 16])
def test_the_histogram_counts_signed_distances_and_names_the_worst(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(numerics_module.PIECE_ELEMENTS, "cpu", chunk)
    data = answered("residual_gate_add", "bfloat16", slots=3)
    out = data.view("out")
    for column, ulps in enumerate((1, 2, 3, -9, -1, -2, -3, 40)):
        at = (1, 0, 5, column)
        positive = bool(out[at] > 0)
        out[at] = steps(out[at], torch.tensor(ulps if positive else -ulps))
    out[1, 0, 5, 8] = float("nan")
    numerics = numerics_of(data, (1, 2))
    elements = out[1].numel()
    assert numerics.ulp_histogram == {
        "-3": 2,
        "-2": 1,
        "-1": 1,
        "0": elements - 9,
        "1": 1,
        "2": 1,
        "3": 2,
    }
    assert (numerics.worst_ulps, numerics.worst_at) == (40, (1, 0, 5, 7))
    assert (numerics.elements, numerics.not_finite) == (elements, 1)


def test_a_few_elements_prove_nothing() -> None:
    few = {"elements": 100, "not_finite": 0, "ulp_histogram": {}, "worst_ulps": 0, "worst_at": ()}
    means = {"mean_ulps": 0.0, "mean_outward_ulps": -0.5, "truncated_ulps": -0.5}
    assert Numerics(**few, **means).one_sided == ""
    assert "toward zero" in Numerics(**{**few, "elements": 400}, **means).one_sided
