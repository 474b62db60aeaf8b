# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bench.ops import OPS
from bench.task.tensor import TensorSpec
from bench.task.validate import validate

# op | layout | rejection | error, one a line, read through by hand when they were written down.
EXPECTED = (Path(__file__).parent / "rejections.txt").read_text(encoding="utf-8").splitlines()
LAYOUTS = [(op, layout) for op in OPS.values() for layout in op.layouts]
EVERY_LAYOUT = pytest.mark.parametrize(
    ("op", "layout"), LAYOUTS, ids=[f"{op.name}-{layout}" for op, layout in LAYOUTS]
)


def refusals(op, layout):
    for rejection in op.rejections(layout, device="cuda:0", other_device="cuda:1"):
        with pytest.raises((ValueError, TypeError)) as caught:
            validate(op, rejection.tensors, "cuda")
        yield rejection.name, f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize(
    ("op", "layout"), sorted({tuple(line.split(" | ")[:2]) for line in EXPECTED})
)
def test_each_rejection_is_refused_in_exactly_these_words(op, layout):
    got = [f"{op} | {layout} | {name} | {error}" for name, error in refusals(OPS[op], layout)]
    assert got == [line for line in EXPECTED if line.startswith(f"{op} | {layout} | ")]


@EVERY_LAYOUT
def test_each_rejection_is_refused_for_a_tensor_of_the_op(op, layout):
    names = []
    for name, error in refusals(op, layout):
        assert error.split(": ")[1] in op.tensors
        names.append(name)
    assert len(set(names)) == len(names)


@EVERY_LAYOUT
def test_rejections_cover_what_can_go_wrong_with_each_tensor(op, layout):
    names = [r.name for r in op.rejections(layout, device="cuda:0", other_device="cuda:1")]
    for tensor in op.tensors:
        if op.dims(tensor, layout) == ("0",):
            continue  # it stands for no tensor: only another shape would be wrong
        rank = len(op.dims(tensor, layout))
        for kind in (
            *(f"of rank {lower}" for lower in range(1, rank)),
            f"of rank {rank + 1}, leading 1",
            f"of rank {rank + 1}, trailing 1",
            "with every second element",
            "in float16",
            "on cpu",
            "on cuda:1",
        ):
            assert f"{tensor} {kind}" in names
        for axis in range(rank):
            assert any(n.startswith(f"{tensor} with") and f"on axis {axis}" in n for n in names)
    for out in op.outputs:
        for shared in op.inputs:
            if op.dims(shared, layout) == ("0",):
                continue
            for kind in ("aliasing", "ending inside", "starting inside"):
                assert f"{out} {kind} {shared}" in names
    assert {"all in float64", "all in int32"} <= set(names)


@EVERY_LAYOUT
def test_without_a_gpu_no_rejection_needs_one(op, layout):
    for rejection in op.rejections(layout):
        assert {spec.device for spec in rejection.tensors} == {"cpu"}


@EVERY_LAYOUT
def test_each_rejection_can_be_built_in_its_arena_and_is_refused_there(op, layout):
    for rejection in op.rejections(layout):
        arena = torch.zeros(rejection.arena_bytes("cpu"), dtype=torch.uint8)
        specs = [TensorSpec.of(spec.name, view(arena, spec)) for spec in rejection.tensors]
        with pytest.raises((ValueError, TypeError)) as caught:
            validate(op, specs, "cpu")
        with pytest.raises(type(caught.value)) as described:
            validate(op, rejection.tensors, "cpu")
        assert str(caught.value) == str(described.value)


def view(arena, spec):
    span = arena[spec.offset : spec.offset + spec.span_bytes].view(getattr(torch, spec.dtype))
    return span.as_strided(spec.shape, spec.strides)


@EVERY_LAYOUT
def test_tensors_share_memory_only_where_that_is_the_mistake(op, layout):
    for rejection in op.rejections(layout):
        tensors = rejection.tensors
        meeting = [
            (one.name, other.name)
            for index, one in enumerate(tensors)
            for other in tensors[index + 1 :]
            if one.overlaps(other)
        ]
        mistaken = " inside " in rejection.name or " aliasing " in rejection.name
        assert len(meeting) == int(mistaken), rejection.name
        assert all(spec.offset >= 0 for spec in tensors)


@pytest.mark.parametrize(
    ("axes", "gate", "layout"),
    [
        ({"B": 1, "L": 1, "D": 8}, (1, 1, 8), "full"),
        ({"B": 3, "L": 4, "D": 8}, (1, 1, 8), "row"),
        ({"B": 3, "L": 4, "D": 8}, (3, 4, 8), "full"),
        ({"B": 0, "L": 4, "D": 8}, (1, 1, 8), "row"),
        ({"B": 2, "L": 0, "D": 8}, (2, 0, 8), "full"),
    ],
)
def test_the_first_declared_layout_that_fits_is_named(axes, gate, layout):
    op = OPS["residual_gate_add"]
    tensors = [torch.empty(gate if name == "gate" else tuple(axes.values())) for name in op.tensors]
    specs = [TensorSpec.of(name, one) for name, one in zip(op.tensors, tensors, strict=True)]
    assert validate(op, specs, "cpu") == layout


def test_an_axis_of_size_one_may_have_any_stride():
    op = OPS["residual_gate_add"]
    tensors = {name: torch.empty(1, 4, 8) for name in op.tensors}
    tensors["gate"] = torch.empty(64).as_strided((1, 1, 8), (7, 5, 1))
    specs = [TensorSpec.of(name, one) for name, one in tensors.items()]
    assert validate(op, specs, "cpu") == "row"


def test_empty_tensors_share_no_memory():
    op = OPS["residual_gate_add"]
    empty = torch.empty(2, 0, 8)
    assert validate(op, [TensorSpec.of(name, empty) for name in op.tensors], "cpu") == "full"
