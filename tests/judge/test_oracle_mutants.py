# SPDX-License-Identifier: Apache-2.0
"""No wrong formula may pass for the right one; the check must fail where one could."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.checker import Check, Checker
from bench.judge.data import CaseData, fresh_inputs
from bench.judge.oracle_mutants import check_oracle_mutants
from bench.judge.random_bits import RandomBits
from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.config import load_config
from bench.task.op import Op
from bench.task.tolerance import Tolerance
from bench.task.workload import Workload
from tests.small_run import ROOT

GATE, FOUR_D = OPS["residual_gate_add"], OPS["broadcast_add_4d"]
AXES = {GATE.name: {"B": 1, "L": 40, "D": 130}, FOUR_D.name: {"S": 9, "P": 3, "D": 130}}
POLICY = load_config(ROOT / "config.toml").correctness
Plant = Callable[[CaseData], None]


def checks(
    op: Op,
    dtype: str = "bfloat16",
    rounding: Rounding = Rounding.EACH_STEP,
    *,
    atol: float | None = None,
    plant: Plant = lambda data: None,
) -> dict[str, Check]:
    layout, axes = list(op.layouts)[-1], AXES[op.name]
    case = Case(op, layout, axes, dtype, 1, 64)
    sizes = (case.bytes_of(INPUTS), case.bytes_of(OUTPUTS))
    data = CaseData(case, *(torch.zeros(size, dtype=torch.uint8) for size in sizes))
    fresh_inputs(case, data.inputs, RandomBits("cpu", 7))
    plant(data)
    tolerance = POLICY.tolerance.of(dtype) if atol is None else Tolerance(atol, 0.0)
    fields = {"id": "row", "op": op, "layout": layout, "dtype": dtype, "tolerance": tolerance}
    found: list[Check] = []
    checker: Any = SimpleNamespace(rounding=rounding, policy=POLICY, emit=found.append)
    row = cast(Workload, SimpleNamespace(**fields))
    check_oracle_mutants(cast(Checker, checker), row, data)
    return {str(check.where["mutant"]): check for check in found}


def failed(found: dict[str, Check]) -> set[str]:
    return {name for name, check in found.items() if not check.finding.passed}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("rounding", list(Rounding))
@pytest.mark.parametrize("op", [GATE, FOUR_D], ids=lambda op: op.name)
def test_every_mutant_of_a_contract_is_told_from_it(op: Op, rounding: Rounding, dtype: str) -> None:
    found = checks(op, dtype, rounding)
    assert not failed(found)
    operands = len(op.inputs)
    rounds_in_between = op is GATE
    assert len(found) == operands * (3 + operands - 1 + 1) + rounds_in_between


def test_an_operand_without_effect_is_named() -> None:
    deaf = dataclasses.replace(GATE, oracle=lambda at, r, u, g: r + at.step(u * u))
    wrong = failed(checks(deaf))
    assert wrong == {
        "gate replaced by 0",
        "gate replaced by 1",
        "gate replaced by its first element",
        "gate replaced by residual",
        "gate replaced by update",
        "contribution of gate",
    }


def test_a_tolerance_that_swallows_an_operand_is_named_and_exactness_does_not_excuse_it() -> None:
    wrong = failed(checks(FOUR_D, atol=8.0))
    assert "a replaced by 0" in wrong
    assert "b replaced by a" in wrong
    assert "contribution of a" in wrong
    assert failed(checks(FOUR_D, atol=0.4)) == {"contribution of a", "contribution of b"}


def test_inputs_too_small_to_matter_are_named() -> None:
    def shrink(data: CaseData) -> None:
        data.view("gate").mul_(0.01)

    wrong = failed(checks(GATE, plant=shrink))
    assert {"gate replaced by 0", "contribution of gate", "contribution of update"} <= wrong
    assert "residual replaced by 0" not in wrong


@pytest.mark.parametrize("rounding", list(Rounding))
def test_bounds_that_allow_the_other_rounding_are_named(
    rounding: Rounding, monkeypatch: pytest.MonkeyPatch
) -> None:
    loose = dataclasses.replace(POLICY, once_max_ulps=1 << 20, each_step_max_ulps=1 << 20)
    monkeypatch.setitem(globals(), "POLICY", loose)
    (name,) = failed(checks(GATE, rounding=rounding, atol=9.0)) & {
        "rounded as once",
        "rounded as each_step",
    }
    assert name != f"rounded as {rounding.value}"
