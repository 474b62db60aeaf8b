# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.op import Op
from bench.task.validate import validate

FAMILY = Op(
    name="residual_norm_modulate",
    formula="kept = r + u; out = kept * scale",
    inputs={"r": "B L D", "u": "B L D", "scale": "B L D", "weight": "D"},
    outputs={"kept": "B L D", "out": "B L D"},
    layouts={"full": {}, "token": {"scale": "B L 1"}, "batch": {"scale": "B 1 D"}},
    roundings=(Rounding.EACH_STEP,),
    oracle=lambda at, r, u, scale, weight: (r + u, at.step(r + u) * scale * weight),
)


def test_the_table_lists_ops_in_report_order_under_their_own_names():
    assert list(OPS)[:2] == ["residual_gate_add", "broadcast_add_4d"]
    assert all(op.name == name for name, op in OPS.items())


@pytest.mark.parametrize(
    ("op", "layout", "axes", "read", "written"),
    [
        ("residual_gate_add", "full", (1, 8160, 4096), 3 * 66846720, 66846720),
        ("residual_gate_add", "row", (1, 32640, 4096), 2 * 267386880 + 8192, 267386880),
        ("broadcast_add_4d", "broadcast", (126, 3, 2048), 1548288 + 12288, 1548288),
    ],
)
def test_bytes_count_each_tensor_once_at_its_own_size(op, layout, axes, read, written):
    contract = OPS[op]
    sizes = dict(zip(contract.axes_names, axes, strict=True))
    assert contract.bytes_read(layout, sizes, "bfloat16") == read
    assert contract.bytes_written(layout, sizes, "bfloat16") == written
    assert contract.bytes_moved(layout, sizes, "bfloat16") == read + written
    assert contract.bytes_moved(layout, sizes, "float32") == 2 * (read + written)


def test_axes_are_named_slowest_first():
    assert OPS["residual_gate_add"].axes_names == ("B", "L", "D")
    assert OPS["broadcast_add_4d"].axes_names == ("S", "P", "D")


def test_a_layout_changes_only_the_tensors_it_names():
    op, axes = OPS["residual_gate_add"], {"B": 2, "L": 3, "D": 5}
    assert [op.shape(name, "row", axes) for name in op.tensors] == [
        (2, 3, 5),
        (2, 3, 5),
        (1, 1, 5),
        (2, 3, 5),
    ]
    assert op.strides("gate", "row", axes) == (5, 5, 1)
    assert op.shape("gate", "full", axes) == (2, 3, 5)


@pytest.mark.parametrize("layout", FAMILY.layouts)
def test_several_outputs_and_per_token_layouts_fit_the_contract(layout):
    axes = {"B": 2, "L": 3, "D": 24}
    assert validate(FAMILY, FAMILY.specs(layout, axes, "float16"), "cpu") == layout
    for rejection in FAMILY.rejections(layout, other_device="cuda:1"):
        with pytest.raises((ValueError, TypeError)):
            validate(FAMILY, rejection.tensors, "cpu")


def test_outputs_that_share_memory_with_each_other_are_refused():
    *inputs, kept, out = FAMILY.specs("full", {"B": 2, "L": 3, "D": 24}, "float16")
    aliasing = type(out)(out.name, out.shape, out.strides, out.dtype, out.device, kept.offset)
    with pytest.raises(
        ValueError, match="out: expected memory of its own, got bytes shared with kept"
    ):
        validate(FAMILY, [*inputs, kept, aliasing], "cpu")


def test_a_contract_with_a_layout_of_an_unknown_tensor_cannot_be_declared():
    with pytest.raises(AssertionError):
        Op("x", "y = x", {"x": "D"}, {"y": "D"}, {"row": {"z": "1"}}, (Rounding.ONCE,), abs)


def test_a_contract_with_an_edge_on_an_unknown_axis_cannot_be_declared():
    with pytest.raises(AssertionError):
        Op(
            "x", "y = x", {"x": "D"}, {"y": "D"}, {"full": {}}, (Rounding.ONCE,), abs,
            edges=({"L": 3},),
        )  # fmt: skip
