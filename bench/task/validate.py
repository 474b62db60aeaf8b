# SPDX-License-Identifier: Apache-2.0
"""The one validator: what an op's contract does not declare is refused, alike on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.task.op import Op
from bench.task.tensor import TensorSpec, contiguous_strides


@dataclass(frozen=True)
class Fit:
    """A layout that fits the tensors seen so far, and the axes that they have bound."""

    layout: str
    axes: Mapping[str, int]

    def expected(self, dims: Sequence[str]) -> str:
        """A shape with the sizes that are known and the letters of the axes that are not."""
        return show([str(self.axes.get(dim, dim)) for dim in dims])

    def bind(self, dims: Sequence[str], shape: Sequence[int]) -> Fit | None:
        """The fit after one more tensor; None when the tensor breaks it."""
        if len(dims) != len(shape):
            return None
        axes = dict(self.axes)
        for dim, size in zip(dims, shape, strict=True):
            known = int(dim) if dim.isdigit() else axes.setdefault(dim, size)
            if known != size:
                return None
        return Fit(self.layout, axes)


def validate(op: Op, tensors: Sequence[TensorSpec], device_type: str) -> str:
    """Return the first declared layout that fits; TypeError for a dtype, else ValueError."""
    first = tensors[0]
    fits = [Fit(layout, {}) for layout in op.layouts]
    for spec in tensors:
        if spec is first:
            _check_first(op, spec, device_type)
        else:
            _check_alike(spec, first)
        fits = _check_shape(op, spec, fits)
        if not spec.is_contiguous:
            raise ValueError(
                f"{spec.name}: expected contiguous strides {show(contiguous_strides(spec.shape))}, "
                f"got {show(spec.strides)}; call .contiguous() on it first"
            )
    _check_memory(op, tensors)
    return fits[0].layout


def show(sizes: Sequence[object]) -> str:
    """Sizes as both validators print them: `[1, 128, 4096]`."""
    return f"[{', '.join(str(size) for size in sizes)}]"


def _check_first(op: Op, spec: TensorSpec, device_type: str) -> None:
    if spec.device.partition(":")[0] != device_type:
        raise ValueError(f"{spec.name}: expected a {device_type} tensor, got {spec.device}")
    if spec.dtype not in op.dtypes:
        *most, last = op.dtypes
        expected = f"{', '.join(most)} or {last}" if most else last
        raise TypeError(f"{spec.name}: expected dtype {expected}, got {spec.dtype}")


def _check_alike(spec: TensorSpec, first: TensorSpec) -> None:
    if spec.dtype != first.dtype:
        raise TypeError(
            f"{spec.name}: expected dtype {first.dtype} like {first.name}, got {spec.dtype}"
        )
    if spec.device != first.device:
        raise ValueError(
            f"{spec.name}: expected device {first.device} like {first.name}, got {spec.device}"
        )


def _check_shape(op: Op, spec: TensorSpec, fits: Sequence[Fit]) -> list[Fit]:
    dims = [op.dims(spec.name, fit.layout) for fit in fits]
    bound = [fit.bind(one, spec.shape) for fit, one in zip(fits, dims, strict=True)]
    left = [fit for fit in bound if fit is not None]
    if not left:
        expected = dict.fromkeys(fit.expected(one) for fit, one in zip(fits, dims, strict=True))
        raise ValueError(
            f"{spec.name}: expected shape {' or '.join(expected)}, got {show(spec.shape)}"
        )
    return left


def _check_memory(op: Op, tensors: Sequence[TensorSpec]) -> None:
    for index, out in enumerate(tensors):
        # An output owns its memory against the inputs and against the outputs before it.
        for earlier in tensors[:index] if out.name in op.outputs else ():
            if out.overlaps(earlier):
                raise ValueError(
                    f"{out.name}: expected memory of its own, got bytes shared with "
                    f"{earlier.name}; allocate a separate output"
                )
