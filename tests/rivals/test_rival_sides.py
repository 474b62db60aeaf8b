# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bench.adapter import Adapter
from bench.judge.oracle import expected_output
from bench.ops import OPS
from bench.rivals import addcmul, inductor, triton
from bench.task.arithmetic import Rounding
from bench.task.side import Side

ROOT = Path(__file__).resolve().parents[2]
AXES = {"B": 1, "L": 5, "D": 259, "S": 4, "P": 3}


def call_of(op, layout):
    generator = torch.Generator().manual_seed(3)
    inputs = [
        torch.randn(op.shape(t, layout, AXES), generator=generator).bfloat16() for t in op.inputs
    ]
    outputs = [torch.full(op.shape(t, layout, AXES), 77.0).bfloat16() for t in op.outputs]
    return inputs, *outputs


def expected(op, inputs, rounding):
    """The oracle in float64, rounded where the rounding says."""

    return expected_output(op, rounding, inputs, torch.float64)[0]


@pytest.mark.parametrize("layout", ["full", "row"])
def test_addcmul_rounds_once(layout):
    op = OPS["residual_gate_add"]
    inputs, out = call_of(op, layout)
    addcmul.load(op.name, rounding="each_step").call(*inputs, out)
    assert torch.equal(out, expected(op, inputs, Rounding.ONCE))


def test_addcmul_is_not_implemented_for_another_op():
    with pytest.raises(NotImplementedError, match="addcmul is not broadcast_add_4d"):
        addcmul.load("broadcast_add_4d")


@pytest.mark.slow
@pytest.mark.parametrize("rounding", Rounding)
@pytest.mark.parametrize("op", OPS.values(), ids=OPS)
def test_inductor_fuses_the_formula_into_one_kernel_and_allocates_nothing(
    op, rounding, tmp_path, monkeypatch
):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    from torch._inductor.utils import run_and_get_code

    inputs, out = call_of(op, next(reversed(op.layouts)))
    call = inductor.load(op.name, rounding=rounding.value, cache=tmp_path).call
    _, (code,) = run_and_get_code(call, *inputs, out)
    assert torch.equal(out, expected(op, inputs, rounding))
    body = code.partition("def call(")[2]
    assert body.count("cpp_fused") == 1
    assert "empty_strided_cpu(" not in body


def test_inductor_compiles_nothing_at_load(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    inductor.load("residual_gate_add", rounding="once", cache=tmp_path)
    assert [one for one in tmp_path.rglob("*") if one.suffix in (".py", ".so", ".cpp")] == []


def side(name, cache):
    return Side(name, f"{ROOT}/bench/rivals/{name}.py:load", "cpu", "each_step", (), str(cache))


@pytest.mark.parametrize("name", ["addcmul", "inductor"])
def test_rival_is_a_side_that_a_player_loads(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    call, plan = Adapter(side(name, tmp_path), "cpu").load("residual_gate_add")
    assert callable(call)
    assert plan is None


@pytest.fixture
def solution(tmp_path, monkeypatch):
    """A solution folder that the Triton rival looks into."""
    (tmp_path / "triton").mkdir()
    for name in ("build.py", "toolchain.py"):
        (tmp_path / name).write_text((ROOT / "solution" / name).read_text())
    monkeypatch.setattr(triton, "BUILD", tmp_path / "build.py")
    return tmp_path


def test_triton_is_the_file_of_that_name_in_the_solution(solution):
    (solution / "triton" / "residual_gate_add.py").write_text(
        "def residual_gate_add(*tensors): return len(tensors)\n"
        "def residual_gate_add_plan(*tensors): return 'triton'\n"
    )
    options = {"language": "cuda", "rounding": "each_step", "architecture": "sm_90", "flags": ()}
    entry = triton.load("residual_gate_add", cache=solution, **options)
    assert entry.call(1, 2, 3) == 3
    assert entry.plan() == "triton"


def test_triton_is_not_implemented_where_the_solution_has_no_such_file(solution):
    options = {"language": "cuda", "rounding": "each_step", "architecture": None, "flags": ()}
    with pytest.raises(NotImplementedError, match="triton has no residual_gate_add"):
        triton.load("residual_gate_add", cache=solution, **options)
