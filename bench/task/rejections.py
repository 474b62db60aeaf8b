# SPDX-License-Identifier: Apache-2.0
"""Wrong calls derived from a right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.task.tensor import TensorSpec, contiguous_strides

ARENA_ALIGNMENT = 256  # bytes; what the CUDA allocator promises for a tensor of its own
UNSUPPORTED = ("float64", "int32")


@dataclass(frozen=True)
class Rejection:
    """A call that both sides must refuse; the tensors' offsets lie in one arena per device."""

    name: str
    layout: str
    tensors: tuple[TensorSpec, ...]

    def arena_bytes(self, device: str) -> int:
        """Bytes of the arena that the tensors on `device` need."""
        ends = (spec.offset + spec.span_bytes for spec in self.tensors if spec.device == device)
        return max(ends, default=0)


def pack(tensors: Sequence[TensorSpec]) -> tuple[TensorSpec, ...]:
    """Give each tensor memory of its own, in order, in one arena per device."""
    ends: dict[str, int] = {}
    placed = []
    for spec in tensors:
        start = -(-ends.get(spec.device, 0) // ARENA_ALIGNMENT) * ARENA_ALIGNMENT
        placed.append(replace(spec, offset=start))
        ends[spec.device] = start + spec.span_bytes
    return tuple(placed)


@dataclass(frozen=True)
class RightCall:
    """A legal call of one op, and what else would have been legal in its place."""

    layout: str
    tensors: tuple[TensorSpec, ...]
    outputs: frozenset[str]
    legal_shapes: Mapping[str, frozenset[tuple[int, ...]]]
    """Tensor -> its shapes in every layout, at these axes."""
    sizes: Mapping[str, tuple[int, ...]]
    """Tensor -> its shape in the layout that broadcasts it least."""
    dtypes: tuple[str, ...]

    def rejections(self, other_device: str | None) -> list[Rejection]:
        """Every wrong call that the contract implies, each wrong in one thing."""
        changed = [
            *self._wrong_shapes(),
            *self._wrong_strides(),
            *self._wrong_dtypes(),
            *self._wrong_devices(other_device),
        ]
        found = [Rejection(name, self.layout, pack(tensors)) for name, tensors in changed]
        return found + list(self._shared_memory())

    def _with(self, spec: TensorSpec) -> tuple[TensorSpec, ...]:
        return tuple(spec if one.name == spec.name else one for one in self.tensors)

    def _wrong_shapes(self) -> Iterator[tuple[str, tuple[TensorSpec, ...]]]:
        for spec in self.tensors:
            tried: set[tuple[int, ...]] = set()
            for what, shape in self._shapes(spec):
                if shape in tried or shape in self.legal_shapes[spec.name]:
                    continue
                tried.add(shape)
                wrong = replace(spec, shape=shape, strides=contiguous_strides(shape))
                yield f"{spec.name} {what}", self._with(wrong)

    def _shapes(self, spec: TensorSpec) -> Iterator[tuple[str, tuple[int, ...]]]:
        shape = spec.shape
        for dropped in range(1, len(shape)):
            yield f"of rank {len(shape) - dropped}", shape[dropped:]
        # [B, D] is [B, L, D] without its middle, the form that a reader of strides gets wrong.
        yield f"of rank {len(shape) - 1}, first axis kept", (shape[0], *shape[2:])
        yield f"of rank {len(shape) + 1}, leading 1", (1, *shape)
        yield f"of rank {len(shape) + 1}, trailing 1", (*shape, 1)
        foreign = max(max(one.shape, default=1) for one in self.tensors) + 1
        for axis, size in enumerate(shape):
            full = self.sizes[spec.name][axis]
            for wrong in dict.fromkeys((foreign, full, 1, 2)):
                if wrong != size:
                    changed = (*shape[:axis], wrong, *shape[axis + 1 :])
                    yield f"with {wrong} instead of {size} on axis {axis}", changed

    def _wrong_strides(self) -> Iterator[tuple[str, tuple[TensorSpec, ...]]]:
        for spec in self.tensors:
            rows, last = spec.shape[:-1], spec.shape[-1]
            every_second = tuple(2 * step for step in spec.strides)
            padded = (*contiguous_strides((*rows, last + 8))[:-1], 1)
            turned = contiguous_strides((*rows[:-1], last, *rows[-1:]))
            transposed = (*turned[: len(rows) - 1], *reversed(turned[len(rows) - 1 :]))
            for what, strides in (
                ("with every second element", every_second),
                ("with padded rows", padded),
                ("transposed", transposed),
            ):
                wrong = replace(spec, strides=strides)
                if not wrong.is_contiguous:
                    yield f"{spec.name} {what}", self._with(wrong)

    def _wrong_dtypes(self) -> Iterator[tuple[str, tuple[TensorSpec, ...]]]:
        for spec in self.tensors:
            for dtype in self.dtypes:
                if dtype != spec.dtype:
                    yield f"{spec.name} in {dtype}", self._with(replace(spec, dtype=dtype))
        for dtype in UNSUPPORTED:
            yield f"all in {dtype}", tuple(replace(spec, dtype=dtype) for spec in self.tensors)

    def _wrong_devices(
        self, other_device: str | None
    ) -> Iterator[tuple[str, tuple[TensorSpec, ...]]]:
        for spec in self.tensors:
            for device in ("cpu", other_device):
                if device is not None and device != spec.device:
                    yield f"{spec.name} on {device}", self._with(replace(spec, device=device))

    def _shared_memory(self) -> Iterator[Rejection]:
        outputs = [spec for spec in self.tensors if spec.name in self.outputs]
        for out in outputs:
            for shared in self.tensors:
                if shared.name in self.outputs or 0 in (out.numel, shared.numel):
                    continue
                # The arena ends with the shared tensor, so that the output meets no other.
                rest = [one for one in self.tensors if one not in (out, shared)]
                gap = replace(out, name="gap")
                *kept, _, placed = pack([*rest, gap, shared])
                for what, offset in (
                    ("aliasing", placed.offset),
                    ("ending inside", placed.offset + out.itemsize - out.span_bytes),
                    ("starting inside", placed.offset + placed.span_bytes - out.itemsize),
                ):
                    moved = {one.name: one for one in (*kept, placed)}
                    moved[out.name] = replace(out, offset=offset)
                    tensors = tuple(moved[one.name] for one in self.tensors)
                    yield Rejection(f"{out.name} {what} {shared.name}", self.layout, tensors)
