# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bench.ops import OPS
from bench.task.grid import Point
from bench.task.tensor import ITEMSIZE
from bench.task.validate import validate

SM_COUNT = 132
GRIDS = {op.name: op.grid(SM_COUNT) for op in OPS.values()}
EVERY_OP = pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))


def groups(op):
    """Points by layout and dtype."""
    return {
        (layout, dtype): [p for p in GRIDS[op.name] if (p.layout, p.dtype) == (layout, dtype)]
        for layout in op.layouts
        for dtype in op.dtypes
    }


def rows(op, point):
    return math.prod(point.axes[name] for name in op.axes_names[:-1])


@EVERY_OP
def test_the_points_are_different_calls_of_a_bounded_number_and_size(op):
    grid = GRIDS[op.name]
    calls = {
        (
            tuple(op.shape(name, point.layout, point.axes) for name in op.tensors),
            point.dtype,
            tuple(sorted(point.offsets.items())),
        )
        for point in grid
    }
    assert len(calls) == len(grid)
    assert len({str(point) for point in grid}) == len(grid)
    assert len(op.layouts) * 70 <= len(grid) <= 150 * len(op.layouts)
    for point in grid:
        for name in op.tensors:
            assert math.prod(op.shape(name, point.layout, point.axes)) <= 4 * 2**20


@EVERY_OP
def test_every_point_is_a_legal_call_of_the_layout_it_names(op):
    for point in GRIDS[op.name]:
        assert validate(op, op.specs(point.layout, point.axes, point.dtype), "cpu") == point.layout


@EVERY_OP
def test_every_layout_and_dtype_meets_aligned_odd_prime_and_unaligned_widths(op):
    for (_, dtype), points in groups(op).items():
        widths = {p.axes[op.axes_names[-1]] for p in points if not p.offsets}
        vector = 16 // ITEMSIZE[dtype]
        assert any(width % vector == 0 and width > vector for width in widths)
        assert any(width % vector and width % 2 == 0 for width in widths)
        assert any(0 < width < vector for width in widths)
        assert {127, 509} <= widths  # primes


@EVERY_OP
def test_every_layout_and_dtype_meets_the_neighbours_of_the_sm_count(op):
    for points in groups(op).values():
        counts = {rows(op, point) for point in points}
        assert {SM_COUNT - 1, SM_COUNT, SM_COUNT + 1} <= counts
        assert max(counts) > 65535


@EVERY_OP
def test_one_row_is_met_in_every_dtype_by_the_first_layout_that_it_fits(op):
    for dtype in op.dtypes:
        assert 1 in {rows(op, point) for point in groups(op)[next(iter(op.layouts)), dtype]}


@EVERY_OP
def test_every_layout_and_dtype_meets_small_large_and_empty_axes(op):
    for (layout, _), points in groups(op).items():
        second_to_last = {point.axes[op.axes_names[-2]] for point in points}
        assert {2, 3, 4099, 65537} <= second_to_last
        for name in op.axes_names:
            sizes = {point.axes[name] for point in points}
            bound = all("0" not in op.dims(tensor, layout) for tensor in op.tensors)
            assert not bound or 0 in sizes
            assert len(sizes) >= 5


@EVERY_OP
def test_alignment_is_broken_operand_by_operand_and_for_all_together(op):
    for points in groups(op).values():
        for width in (1024, 1031):
            moved = [p.offsets for p in points if p.axes[op.axes_names[-1]] == width and p.offsets]
            for name in op.tensors:
                assert {name: 1} in moved
            assert dict.fromkeys(op.tensors, 1) in moved
            assert any(len(set(one.values())) == len(op.tensors) for one in moved)


@EVERY_OP
def test_an_ops_own_edges_are_points_in_every_dtype(op):
    for edge in op.edges:
        for dtype in op.dtypes:
            assert any(
                edge.items() <= point.axes.items() and point.dtype == dtype
                for point in GRIDS[op.name]
            )


def test_the_add_meets_several_frame_counts():
    frames = {point.axes["S"] for point in GRIDS["broadcast_add_4d"]}
    assert {1, 16, 31, 121, 125, 126, 127} <= frames


@EVERY_OP
@pytest.mark.parametrize("sm_count", [1, 2, 148, 1000])
def test_any_sm_count_gives_a_grid(op, sm_count):
    assert all(
        math.prod(op.shape(name, point.layout, point.axes)) <= 4 * 2**20
        for point in op.grid(sm_count)
        for name in op.tensors
    )


def test_a_point_reads_as_one_line():
    point = Point("row", {"B": 2, "L": 5, "D": 1031}, "float16", {"gate": 1})
    assert str(point) == "row B=2 L=5 D=1031 float16 gate+1"
    assert str(replace(point, offsets={})) == "row B=2 L=5 D=1031 float16"
