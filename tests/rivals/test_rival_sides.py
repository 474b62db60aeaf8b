# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bench.adapter import Adapter
from bench.ops import OPS
from bench.rivals import addcmul, inductor
from bench.rivals.sides import rivals
from bench.task.op import Rounding

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

    def step(tensor):
        return tensor if rounding is Rounding.ONCE else tensor.bfloat16().double()

    return op.oracle(step, *(one.double() for one in inputs)).bfloat16()


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


def test_every_rival_is_a_side_that_a_player_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    sides = rivals(ROOT / "solution", "once", tmp_path)
    assert [side.name for side in sides] == ["addcmul", "inductor", "triton"]
    for side in sides[:2]:
        call, plan = Adapter(side, "cpu").load("residual_gate_add")
        assert callable(call)
        assert plan is None


def test_triton_is_not_implemented_where_the_solution_has_no_such_file(tmp_path):
    (tmp_path / "build.py").write_text((ROOT / "solution" / "build.py").read_text())
    (tmp_path / "toolchain.py").write_text((ROOT / "solution" / "toolchain.py").read_text())
    triton = rivals(tmp_path, "once", tmp_path)[2]
    with pytest.raises(NotImplementedError, match="triton has no residual_gate_add"):
        Adapter(triton, "cpu").load("residual_gate_add")
