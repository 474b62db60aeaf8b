# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.task.arithmetic import Rounding
from bench.task.grid import Point, sweep
from bench.task.rejections import Rejection, RightCall, pack
from bench.task.tensor import ITEMSIZE, TensorSpec, contiguous_strides

# Small, distinct and more than 1, so that no wrong size is another axis's right one.
REJECTION_SIZES = (2, 3, 5, 7, 11)
REJECTION_LAST = 24


@dataclass(frozen=True, eq=False)
class Op:
    """The contract of one operation; everything else that is known of it is derived from this."""

    name: str
    formula: str
    inputs: Mapping[str, str]
    """Tensor -> axes, `B L D`; a `1` is an axis that the op broadcasts."""
    outputs: Mapping[str, str]
    layouts: Mapping[str, Mapping[str, str]]
    """Layout -> the tensors whose axes differ in it; the first declared wins where two fit."""
    roundings: tuple[Rounding, ...]
    oracle: Callable[..., Any]
    """oracle(arithmetic, *inputs) -> the output, or a tuple of them: the formula on inputs upcast
    to float32 or float64, each intermediate result a step of the arithmetic's; the caller rounds
    the last."""
    dtypes: tuple[str, ...] = ("bfloat16", "float16", "float32")
    reduced: str = ""
    """The axis that the op sums over, for an op that does."""
    inexact: float = 0.0
    """Share of its magnitude by which an inexact value may be off in any order of summation and
    by any library: float32's unit of the last place is 2 ** -23."""
    edges: Sequence[Mapping[str, int]] = ()
    """Points that the derived grid would miss; an axis left out keeps its base size."""

    def __post_init__(self) -> None:
        declared = {**self.inputs, **self.outputs}
        assert self.layouts and all(
            set(layout) <= set(declared) for layout in self.layouts.values()
        )
        assert all(set(edge) <= set(self.axes_names) for edge in self.edges)

    @property
    def tensors(self) -> tuple[str, ...]:
        """Names in the order of a call: inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    @property
    def axes_names(self) -> tuple[str, ...]:
        """Every named axis, slowest first, as the outputs order them."""
        dims = " ".join([*self.outputs.values(), *self.inputs.values()]).split()
        return tuple(dict.fromkeys(dim for dim in dims if not dim.isdigit()))

    def dims(self, tensor: str, layout: str) -> tuple[str, ...]:
        """Axes of a tensor in a layout, `1` where it is broadcast."""
        declared = {**self.inputs, **self.outputs, **self.layouts[layout]}
        return tuple(declared[tensor].split())

    def shape(self, tensor: str, layout: str, axes: Mapping[str, int]) -> tuple[int, ...]:
        """Sizes of a tensor at concrete axes."""
        return tuple(int(d) if d.isdigit() else axes[d] for d in self.dims(tensor, layout))

    def strides(self, tensor: str, layout: str, axes: Mapping[str, int]) -> tuple[int, ...]:
        """Strides that the contract asks for, in elements."""
        return contiguous_strides(self.shape(tensor, layout, axes))

    def bytes_read(self, layout: str, axes: Mapping[str, int], dtype: str) -> int:
        """Each input once, whatever it is broadcast to."""
        return self._bytes(tuple(self.inputs), layout, axes, dtype)

    def bytes_written(self, layout: str, axes: Mapping[str, int], dtype: str) -> int:
        """Each output once."""
        return self._bytes(tuple(self.outputs), layout, axes, dtype)

    def bytes_moved(self, layout: str, axes: Mapping[str, int], dtype: str) -> int:
        """The least memory traffic with which the op can be done."""
        return self._bytes(self.tensors, layout, axes, dtype)

    def _bytes(
        self, tensors: Sequence[str], layout: str, axes: Mapping[str, int], dtype: str
    ) -> int:
        elements = sum(math.prod(self.shape(tensor, layout, axes)) for tensor in tensors)
        return elements * ITEMSIZE[dtype]

    def specs(
        self, layout: str, axes: Mapping[str, int], dtype: str, device: str = "cpu"
    ) -> tuple[TensorSpec, ...]:
        """A legal call, its tensors packed into one arena."""
        return pack(
            [
                TensorSpec(
                    tensor,
                    self.shape(tensor, layout, axes),
                    self.strides(tensor, layout, axes),
                    dtype,
                    device,
                    0,
                )
                for tensor in self.tensors
            ]
        )

    def grid(self, sm_count: int) -> list[Point]:
        """The regression points; each is a different call, whichever layout it is named after."""
        found: dict[object, Point] = {}
        for layout in self.layouts:
            for axes, offsets in sweep(self.axes_names, self.tensors, self.edges, sm_count):
                shapes = tuple(self.shape(tensor, layout, axes) for tensor in self.tensors)
                for dtype in self.dtypes:
                    key = (shapes, dtype, tuple(offsets.items()))
                    found.setdefault(key, Point(layout, axes, dtype, offsets))
        return list(found.values())

    def rejections(
        self,
        layout: str,
        axes: Mapping[str, int] | None = None,
        dtype: str = "bfloat16",
        device: str = "cpu",
        other_device: str | None = None,
    ) -> list[Rejection]:
        """Every wrong call derived from the legal one at these axes (small ones when left out)."""
        if axes is None:
            axes = {**dict(zip(self.axes_names, REJECTION_SIZES, strict=False))}
            axes[self.axes_names[-1]] = REJECTION_LAST
        shapes = {
            tensor: [self.shape(tensor, one, axes) for one in self.layouts]
            for tensor in self.tensors
        }
        right = RightCall(
            layout,
            self.specs(layout, axes, dtype, device),
            frozenset(self.outputs),
            {tensor: frozenset(legal) for tensor, legal in shapes.items()},
            {tensor: max(legal, key=math.prod) for tensor, legal in shapes.items()},
            self.dtypes,
        )
        return right.rejections(other_device)
