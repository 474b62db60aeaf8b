# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import importlib
import itertools
from pathlib import Path

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bench.judge.compare import Bounds, compare
from bench.judge.oracle import envelopes, expected_output, upcast
from bench.ops import OPS
from bench.record import baseline_source
from bench.task.arithmetic import Rounding

ROOT = Path(__file__).parents[1]
LINEAGE = baseline_source.load_lineage(ROOT)
INF, NAN = float("inf"), float("nan")
SPECIAL = (0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-40, -3e-39, 6e-8, 65504.0, 3.3e38)
CASES = [
    (op, layout, dtype)
    for op in OPS.values()
    for layout, dtype in itertools.product(op.layouts, op.dtypes)
]
EVERY_CASE = pytest.mark.parametrize(
    ("op", "layout", "dtype"), CASES, ids=["-".join((op.name, *rest)) for op, *rest in CASES]
)
EVERY_OP = pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))


def baseline(op):
    return getattr(importlib.import_module(f"baseline.{op.name}"), op.name)


def call(op, layout, dtype, seed=0, axes=(2, 5, 1031)):
    """Inputs, random with every special value against every other, and poisoned outputs."""
    generator = torch.Generator().manual_seed(seed)
    sizes = dict(zip(op.axes_names, axes, strict=True))
    inputs = []
    for name in op.inputs:
        values = torch.randn(op.shape(name, layout, sizes), generator=generator)
        mask = torch.rand(values.shape, generator=generator) < 0.3
        picks = torch.randint(len(SPECIAL), values.shape, generator=generator)
        special = torch.tensor(SPECIAL)[picks]
        inputs.append(torch.where(mask, special, values).to(getattr(torch, dtype)))
    outputs = [
        torch.full(op.shape(name, layout, sizes), 777.0, dtype=getattr(torch, dtype))
        for name in op.outputs
    ]
    return inputs, outputs


def right(op, inputs, outputs):
    """Whether outputs are the each_step oracle's: to the bit, or within what nobody has exactly."""
    wanted = expected(op, inputs)
    if not op.inexact:
        return all(map(same_bits, outputs, wanted))
    compute = upcast(str(inputs[0].dtype).removeprefix("torch."))
    ends = envelopes(op, Rounding.EACH_STEP, inputs, compute)
    return not any(
        compare(got, want, Bounds(0.05, 0.05, 0), None, envelope=one).difference
        for got, want, one in zip(outputs, wanted, ends, strict=True)
    )


def expected(op, inputs):
    return expected_output(op, Rounding.EACH_STEP, inputs, torch.float32)


def same_bits(one, other):
    bits = torch.int32 if one.itemsize == 4 else torch.int16
    nan = one.isnan() & other.isnan()
    return bool((nan | (one.view(bits) == other.view(bits))).all())


class Recorded(TorchDispatchMode):
    """The operators that torch dispatched."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@EVERY_CASE
def test_the_baseline_equals_the_each_step_oracle_bit_for_bit(op, layout, dtype):
    for seed in range(3):
        inputs, outputs = call(op, layout, dtype, seed)
        assert baseline(op)(*inputs, *outputs) is None
        assert right(op, inputs, outputs)


@EVERY_CASE
def test_the_baseline_leaves_its_inputs_alone(op, layout, dtype):
    inputs, outputs = call(op, layout, dtype)
    before = [one.clone() for one in inputs]
    baseline(op)(*inputs, *outputs)
    assert all(same_bits(one, other) for one, other in zip(inputs, before, strict=True))


@EVERY_CASE
def test_the_steady_state_launches_and_allocates_as_the_lineage_says(op, layout, dtype):
    inputs, outputs = call(op, layout, dtype)
    baseline(op)(*inputs, *outputs)
    lineage = next(one for one in LINEAGE.op if one.name == op.name)
    with Recorded() as recorded:
        baseline(op)(*inputs, *outputs)
    # A cast of what is float32 already is none, and a layout may need fewer steps.
    fewer = dtype == "float32" or layout != next(iter(op.layouts))
    assert len(recorded.names) == lineage.launches or (
        lineage.allocates and fewer and len(recorded.names) < lineage.launches
    ), recorded.names
    if lineage.allocates:
        return
    assert all(name.endswith(".out") for name in recorded.names)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as profile:
        baseline(op)(*inputs, *outputs)
    assert {event.name for event in profile.events()} >= {"aten::add"}
    assert [event.name for event in profile.events() if event.self_cpu_memory_usage] == []


@EVERY_OP
def test_two_shapes_and_two_dtypes_in_turn_do_not_disturb_each_other(op):
    layout = next(iter(op.layouts))
    calls = [
        call(op, layout, dtype, axes=axes)
        for axes in ((2, 5, 64), (2, 3, 64))
        for dtype in op.dtypes
    ]
    for inputs, outputs in calls + calls:
        for one in outputs:
            one.fill_(777.0)
        baseline(op)(*inputs, *outputs)
        assert right(op, inputs, outputs)


@EVERY_OP
def test_the_baseline_names_its_tensors_as_the_contract_does(op):
    function = baseline(op)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    assert names == op.tensors


@pytest.mark.parametrize("path", sorted((ROOT / "baseline").glob("*.py")), ids=lambda p: p.stem)
def test_the_baseline_imports_torch_and_nothing_of_the_judge(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported == {"__future__", "torch"}


def test_the_lineage_covers_every_op_in_order():
    assert [one.name for one in LINEAGE.op] == list(OPS)
    assert len(LINEAGE.upstream["sglang"].revision) == 40


def test_the_document_is_what_its_command_writes(tmp_path, capsys):
    written = (ROOT / "docs" / "baseline_source.md").read_text(encoding="utf-8")
    assert written == baseline_source.render(ROOT), "run python -m bench.record.baseline_source"
    assert all(one.revision in written for one in LINEAGE.upstream.values())


def test_a_lineage_with_an_unknown_key_is_refused_with_exit_2(tmp_path, capsys):
    (tmp_path / "baseline").mkdir()
    text = (ROOT / baseline_source.UPSTREAM).read_text(encoding="utf-8")
    (tmp_path / baseline_source.UPSTREAM).write_text(text.replace("folder =", "folter =", 1))
    assert baseline_source.main(["--root", str(tmp_path)]) == 2
    message = (
        "UPSTREAM.toml: unknown key upstream.sglang.folter; did you mean upstream.sglang.folder?\n"
    )
    assert capsys.readouterr().err == message
