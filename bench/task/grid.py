# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# 16 bytes are 8 elements of two bytes or 4 of four. Below one vector, odd, prime, a multiple of
# 2 only, of 4 only (aligned for float32, not for bfloat16), and fully aligned.
LAST_AXIS = (1, 3, 7, 8, 127, 509, 1031, 2050, 1028, 4096)
ALIGNED, UNALIGNED = 1024, 1031
NARROW = 256  # keeps a point with one row per SM of any GPU far below the size limit
LAST_LEADING, OTHER_LEADING = 5, 2
SMALL = (1, 2, 3)
# A prime beyond any SM count, and one more row than a grid's y and z axes can hold.
LARGE = ((4099, NARROW), (65537, 8))
REPEATS = (1, 3, 7)


@dataclass(frozen=True)
class Point:
    """One call of the regression grid."""

    layout: str
    axes: Mapping[str, int]
    dtype: str
    offsets: Mapping[str, int]
    """Elements by which a tensor's start is moved off its alignment; absent means 0."""

    def __str__(self) -> str:
        axes = " ".join(f"{name}={size}" for name, size in self.axes.items())
        offsets = " ".join(f"{name}+{count}" for name, count in self.offsets.items())
        return " ".join(part for part in (self.layout, axes, self.dtype, offsets) if part)


def base_axes(names: Sequence[str]) -> dict[str, int]:
    """Where every sweep starts: a few rows of an aligned length."""
    leading = dict.fromkeys(names[:-1], OTHER_LEADING)
    if len(names) > 1:
        leading[names[-2]] = LAST_LEADING
    return {**leading, names[-1]: ALIGNED}


def sweep_axes(
    names: Sequence[str], edges: Sequence[Mapping[str, int]], sm_count: int
) -> Iterator[dict[str, int]]:
    """Vary one axis at a time round the base point; the full product would be 100 times more."""
    base = base_axes(names)
    *leading, last = names
    one_row = {**base, **dict.fromkeys(leading, 1)}
    yield base
    yield from ({**base, last: size} for size in LAST_AXIS)
    yield one_row
    for name in leading:
        for rows in (sm_count - 1, sm_count, sm_count + 1):
            yield {**one_row, name: max(rows, 1), last: NARROW}
    if leading:
        yield from ({**base, leading[-1]: size} for size in SMALL)
        yield from ({**one_row, leading[-1]: size, last: width} for size, width in LARGE)
    yield from ({**base, name: size} for name in leading[:-1] for size in REPEATS)
    yield from ({**base, name: 0} for name in names)
    yield from ({**base, **edge} for edge in edges)


def sweep_offsets(tensors: Sequence[str]) -> Iterator[dict[str, int]]:
    """Break 16-byte alignment operand by operand, all alike, and each differently."""
    yield from ({name: 1} for name in tensors)
    yield dict.fromkeys(tensors, 1)
    yield {name: index + 1 for index, name in enumerate(tensors)}


def sweep(
    names: Sequence[str], tensors: Sequence[str], edges: Sequence[Mapping[str, int]], sm_count: int
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Axes and offsets of every point of one layout and dtype; may repeat itself."""
    yield from ((axes, {}) for axes in sweep_axes(names, edges, sm_count))
    base = base_axes(names)
    for width in (ALIGNED, UNALIGNED):
        yield from (({**base, names[-1]: width}, moved) for moved in sweep_offsets(tensors))
