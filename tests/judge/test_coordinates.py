# SPDX-License-Identifier: Apache-2.0
"""The first bad coordinate is the output's own, however the tensors were cut for comparing."""

from __future__ import annotations

import pytest
import torch

from bench.judge import compare as compare_module
from bench.judge.against_baseline import compare_with_baseline
from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.data import CaseData, fresh_inputs
from bench.judge.oracle import expected_output
from bench.judge.random_bits import RandomBits
from bench.judge.verify import compare_with_oracle
from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.tolerance import Tolerance

ROUNDING = Rounding.EACH_STEP
BOUNDS = Bounds(0.05, 0.05, 0)
CASES = {
    "full": ("residual_gate_add", "full", {"B": 2, "L": 11, "D": 6}),
    "row": ("residual_gate_add", "row", {"B": 3, "L": 4, "D": 8}),
    "long": ("residual_gate_add", "row", {"B": 1, "L": 29, "D": 5}),
    "4-D": ("broadcast_add_4d", "broadcast", {"S": 7, "P": 3, "D": 4}),
    "table": ("broadcast_add_4d", "broadcast", {"S": 1, "P": 9, "D": 8}),
}


def answered(name: str) -> CaseData:
    op, layout, axes = CASES[name]
    case = Case(OPS[op], layout, axes, "bfloat16", 3, 64)
    sizes = (case.bytes_of(INPUTS), case.bytes_of(OUTPUTS))
    data = CaseData(case, *(torch.zeros(size, dtype=torch.uint8) for size in sizes))
    fresh_inputs(case, data.inputs, RandomBits("cpu", 2))
    inputs = [data.view(one) for one in case.op.inputs]
    (right,) = expected_output(case.op, ROUNDING, inputs, torch.float64)
    data.view("out").copy_(right)
    return data


@pytest.mark.parametrize("chunk", [8, 40, 1 << 20])
@pytest.mark.parametrize("name", list(CASES))
def test_every_wrong_element_is_found_where_it_lies(
    name: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(compare_module.CHUNK_ELEMENTS, "cpu", chunk)
    data, eager = answered(name), answered(name)
    out = data.view("out")
    elements = out.numel()
    result = compare_with_oracle(data, ROUNDING, BOUNDS, None, (0, 3))
    assert (result.difference, result.elements) == (None, elements)
    for flat in range(0, elements, 17):
        at = tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), out.shape))
        right = float(out[at])
        out[at] = right + 8
        for found in (
            compare_with_oracle(data, ROUNDING, BOUNDS, None, (0, 3)),
            compare_with_baseline(data, eager, ROUNDING, Tolerance(0.05, 0.05)),
        ):
            assert found.difference is not None, at
            assert found.difference.coordinate == at
            assert found.difference.expected == right
        out[at] = right


def test_only_the_written_slots_are_compared_and_named_by_their_own_number() -> None:
    data = answered("full")
    out = data.view("out")
    out[0, 0, 0, 0] = 99
    assert compare_with_oracle(data, ROUNDING, BOUNDS, None, (1, 3)).difference is None
    out[2, 1, 3, 5] = 99
    found = compare_with_oracle(data, ROUNDING, BOUNDS, None, (1, 3)).difference
    assert found is not None
    assert found.coordinate == (2, 1, 3, 5)


def test_once_is_held_to_eager_by_the_tolerance_alone_and_nan_is_never_near() -> None:
    tolerance = Tolerance(0.05, 0.05)
    mine, eager = answered("full"), answered("full")
    out = mine.view("out")
    right = float(out[1, 1, 2, 3])
    out[1, 1, 2, 3] = right + 0.04
    assert compare_with_baseline(mine, eager, Rounding.ONCE, tolerance).difference is None
    assert compare_with_baseline(mine, eager, ROUNDING, tolerance).difference is not None
    for value in (right + 1, float("nan"), float("inf")):
        out[1, 1, 2, 3] = value
        assert compare_with_baseline(mine, eager, Rounding.ONCE, tolerance).difference is not None
