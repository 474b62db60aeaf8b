# SPDX-License-Identifier: Apache-2.0
"""Output against oracle, element by element: no ratio of misses, no norm.

An element is right when it lies within the frozen tolerance *and* within the rounding's distance in
units of the last place: 0 from the stepwise oracle for `each_step`, 1 from the correctly rounded
result for `once`. NaN equals NaN; the poison equals nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch

from bench.player.marks import INTEGER
from bench.task.op import Op

# Elements compared at a time: on a CPU a few float32 temporaries stay in a core's cache (2.4 ns an
# element on two cores, 9.4 with a million elements); a GPU needs more to be busy.
CHUNK_ELEMENTS = {"cpu": 1 << 16, "cuda": 1 << 25}


ANY_ULPS = 1 << 40  # who may round as they like within the tolerance: rivals, `once` beside eager


@dataclass(frozen=True)
class Bounds:
    """How far an element may lie from the oracle's."""

    atol: float
    rtol: float
    max_ulps: int


@dataclass(frozen=True)
class Difference:
    """What is wrong with an output, told by its first bad element."""

    mismatches: int
    coordinate: tuple[int, ...]
    expected: float
    got: float
    ulps: int
    cause: str

    def __str__(self) -> str:
        return (
            f"{self.mismatches} wrong, first at {list(self.coordinate)}: expected"
            f" {self.expected!r}, got {self.got!r} ({self.ulps} ulps); likely {self.cause}"
        )


@dataclass(frozen=True)
class Comparison:
    """The outcome of one comparison; `difference` is None when every element is right."""

    elements: int
    max_ulps: int
    difference: Difference | None


def ulps_between(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Distance in representable values, signed, as int64; meaningless where either is NaN."""
    return _ordered(left) - _ordered(right)


def _ordered(value: torch.Tensor) -> torch.Tensor:
    bits = value.contiguous().view(INTEGER[value.element_size()]).to(torch.int64)
    return torch.where(bits < 0, -(bits + (1 << (8 * value.element_size() - 1))), bits)


def compare(
    got: torch.Tensor,
    expected: torch.Tensor,
    bounds: Bounds,
    poison_bits: int | None,
    explain: Callable[[torch.Tensor, torch.Tensor], str] | None = None,
    envelope: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> Comparison:
    """Compare two tensors of one shape and dtype.

    With an envelope every value between its ends is as good as the expected one; distances are
    counted from the nearer end.
    """
    integer = INTEGER[got.element_size()]
    got = got.contiguous()
    same = got.view(integer) == expected.contiguous().view(integer)
    unwritten = _is_poison(got, poison_bits)
    if bool(same.all()) and (unwritten is None or not bool(unwritten.any())):
        return Comparison(got.numel(), 0, None)
    both_nan = got.isnan() & expected.isnan()
    nearest = expected
    if envelope is not None:
        nearest = torch.clamp(got, *envelope)
        same |= got.view(integer) == nearest.contiguous().view(integer)
    ulps = ulps_between(got, nearest)
    zeros_apart = (got == 0) & (nearest == 0) & ~same  # +0 and -0 are one step apart
    ulps = torch.where(zeros_apart, torch.ones_like(ulps), ulps)
    apart = torch.where(got.isnan() ^ expected.isnan(), 1 << 40, ulps.abs())
    apart = torch.where(same | both_nan, 0, apart)
    wide_got, wide_expected = got.to(torch.float64), nearest.to(torch.float64)
    near = (wide_got - wide_expected).abs() <= bounds.atol + bounds.rtol * wide_expected.abs()
    far = ~near | nearest.isinf()  # a share of infinity would allow everything
    wrong = (apart > bounds.max_ulps) | (far & ~same & ~both_nan)
    if unwritten is not None:
        wrong |= unwritten
    if not bool(wrong.any()):
        return Comparison(got.numel(), int(apart.max()), None)
    at = tuple(int(i) for i in wrong.nonzero()[0])
    difference = Difference(
        int(wrong.sum()),
        at,
        float(expected[at]),
        float(got[at]),
        int(apart[at]),
        _cause(wrong, unwritten, ulps, at) if explain is None else explain(wrong, got),
    )
    return Comparison(got.numel(), int(apart.max()), difference)


def _is_poison(got: torch.Tensor, bits: int | None) -> torch.Tensor | None:
    if bits is None:
        return None
    width = 8 * got.element_size()
    signed = bits - (1 << width) if bits >= 1 << (width - 1) else bits
    return got.view(INTEGER[got.element_size()]) == signed


def _cause(
    wrong: torch.Tensor, unwritten: torch.Tensor | None, ulps: torch.Tensor, at: tuple[int, ...]
) -> str:
    """Guess from the pattern of wrong elements what the kernel did; [slots, ..., last axis]."""
    if unwritten is not None and bool(unwritten[at]):
        share = float(unwritten.sum()) / unwritten.numel()
        return "unwritten: nothing was stored there" if share < 1 else "unwritten: no store at all"
    columns = wrong.reshape(-1, wrong.shape[-1]).any(dim=0)
    first = int(columns.nonzero()[0])
    if first > 0 and bool(columns[first:].all()) and first >= wrong.shape[-1] - 16:
        return "tail: only the last columns are wrong"
    if int(ulps[at].abs()) <= 2:
        return "rounding: a step or two of the last place"
    rows = wrong.reshape(-1, wrong.shape[-1]).any(dim=1)
    if rows.numel() > 1 and not bool(rows[0]) and float(rows[1:].float().mean()) > 0.5:
        return "broadcast: the first row is right and later ones are not"
    if bool(wrong.all()):
        return "formula: every element is wrong"
    return "formula or indexing"


def chunks(
    op: Op, layout: str, tensors: Mapping[str, torch.Tensor], elements: int | None = None
) -> Iterator[tuple[tuple[int, ...], dict[str, torch.Tensor]]]:
    """Split a call's tensors, each [slots, *shape], into pieces that are compared at a time.

    A piece has about `elements` of the output, where not given as many as the device likes best.
    Yields the coordinate at which a piece starts (slot, then the split axis's position).
    """
    axis_names = op.dims(next(iter(op.outputs)), layout)
    whole = tensors[next(iter(op.outputs))]
    limit = elements or CHUNK_ELEMENTS[whole.device.type]
    per_slot = max(1, whole[0].numel())
    if per_slot <= limit:
        step = max(1, limit // per_slot)
        for slot in range(0, whole.shape[0], step):
            yield (slot,), {name: t[slot : slot + step] for name, t in tensors.items()}
        return
    inner = range(1, max(2, whole.dim() - 1))
    axis = max(inner, key=lambda i: whole.shape[i])
    name_of_axis = axis_names[axis - 1]
    step = max(1, limit // (per_slot // whole.shape[axis]))
    for slot in range(whole.shape[0]):
        for start in range(0, whole.shape[axis], step):
            length = min(step, whole.shape[axis] - start)
            yield (
                (slot, *([0] * (axis - 1)), start),
                {
                    name: t[slot : slot + 1].narrow(
                        1 + op.dims(name, layout).index(name_of_axis), start, length
                    )
                    if name_of_axis in op.dims(name, layout)
                    else t[slot : slot + 1]
                    for name, t in tensors.items()
                },
            )
