# SPDX-License-Identifier: Apache-2.0
"""Rounding as data: how far a side's outputs lie from the formula in float64, and on which side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from bench.judge.compare import chunks, ulps_between
from bench.judge.data import CaseData
from bench.judge.oracle import evaluate
from bench.player.marks import INTEGER
from bench.task.arithmetic import Arithmetic

FAR = 3  # the histogram's outermost buckets hold everything from here on
# Elements looked at: 85 ns each on a core, so a large row's first ones there; a GPU takes all.
ELEMENTS_MAX = {"cpu": 1 << 19, "cuda": 1 << 62}
# A CPU's pieces are small enough for torch to take one thread: on a busy machine two of them wait
# for each other (2,000 ns an element where one takes 200).
PIECE_ELEMENTS = {"cpu": 1 << 14, "cuda": None}
SIGMAS = 6  # of a mean of values within one ulp either way: by Hoeffding 3e-8 a row
WAYS = {
    "mean_outward_ulps": ("toward zero, as truncation does", "away from zero"),
    "mean_ulps": ("down", "up"),
}


@dataclass(frozen=True)
class Numerics:
    """Distances in units of the last place; a mean takes each error as at most one such unit.

    Else one cancelled sum, thousands of units off, would outweigh all others.
    """

    elements: int
    not_finite: int
    """of them; left out of all that follows"""
    ulp_histogram: Mapping[str, int]
    """distance from the correctly rounded result -> elements; "-3" is and below, "3" and above"""
    worst_ulps: int
    worst_at: tuple[int, ...]
    """the output's coordinate: slot, then its axes; empty where no element is finite"""
    mean_ulps: float
    """of result minus exact"""
    mean_outward_ulps: float
    """the same, positive where the result is larger in magnitude"""
    truncated_ulps: float
    """what `mean_outward_ulps` would be had these very results been truncated"""

    @property
    def one_sided(self) -> str:
        """How the results lean, in words; empty for rounding to nearest.

        That has a mean of zero, truncation has `truncated_ulps`: beyond half of it a result is
        nearer to truncation. The second bound is the chance of so few elements.
        """
        finite = self.elements - self.not_finite
        bound = max(abs(self.truncated_ulps) / 2, SIGMAS / math.sqrt(max(1, finite)))
        name = max(WAYS, key=lambda one: abs(getattr(self, one)))
        mean = float(getattr(self, name))
        if abs(mean) <= bound:
            return ""
        return (
            f"results lean {WAYS[name][mean > 0]}: {mean:+.3f} ulps on average over {finite}"
            f" elements, expected within {bound:.3f}"
        )


def numerics_of(data: CaseData, written: tuple[int, int]) -> Numerics:
    """Measure the first output's written slots, which hold finite values, against float64."""
    op, case = data.case.op, data.case
    name = next(iter(op.outputs))
    device = data.outputs.device.type
    left, size = ELEMENTS_MAX[device], PIECE_ELEMENTS[device]
    tensors = {one: data.view(one)[slice(*written)] for one in op.tensors}
    found = []
    for start, piece in chunks(op, case.layout, tensors, size):
        inputs = [piece[one] for one in op.inputs]
        exact, *_ = evaluate(op, Arithmetic(), inputs, torch.float64)
        got = piece[name]
        found.append(
            _piece(got, exact.broadcast_to(got.shape), (start[0] + written[0], *start[1:]))
        )
        left -= got.numel()
        if left <= 0:
            break
    return _together(found)


def _piece(got: torch.Tensor, exact: torch.Tensor, start: tuple[int, ...]) -> Numerics:
    """One piece's part; its means are sums still."""
    integer = INTEGER[got.element_size()]
    nearest = exact.to(got.dtype)
    finite = got.isfinite() & nearest.isfinite()
    apart = torch.where(finite, ulps_between(got, nearest), 0)
    buckets = torch.where(finite, apart.clamp(-FAR, FAR) + FAR, 2 * FAR + 1).flatten()
    *counts, not_finite = torch.bincount(buckets, minlength=2 * FAR + 2).tolist()
    bits = nearest.abs().contiguous().view(integer)
    near = nearest.abs().double()
    ulp = (bits + 1).view(got.dtype).double() - near  # infinite at the largest: no error there
    error = ((got.double() - exact) / ulp).clamp(-1, 1)
    cut_off = torch.where(near > exact.abs(), (bits - 1).view(got.dtype).double(), near)
    truncated = (cut_off - exact.abs()) / ulp
    means = [
        float(torch.where(finite, one, 0).sum()) for one in (error, error * exact.sign(), truncated)
    ]
    worst = int(apart.abs().argmax())
    at = [int(i) for i in torch.unravel_index(torch.tensor(worst), apart.shape)]
    offset = itertools.chain(start, itertools.repeat(0))
    return Numerics(
        got.numel(),
        not_finite,
        {str(ulps): count for ulps, count in zip(range(-FAR, FAR + 1), counts, strict=True)},
        int(apart.flatten()[worst]),
        tuple(i + j for i, j in zip(at, offset, strict=False)) if not_finite < got.numel() else (),
        *means,
    )


def _together(pieces: list[Numerics]) -> Numerics:
    worst = max(pieces, key=lambda one: (bool(one.worst_at), abs(one.worst_ulps)))
    elements = sum(one.elements for one in pieces)
    not_finite = sum(one.not_finite for one in pieces)
    finite = max(1, elements - not_finite)

    def mean(values: Iterator[float]) -> float:
        return math.fsum(values) / finite

    return Numerics(
        elements,
        not_finite,
        {ulps: sum(one.ulp_histogram[ulps] for one in pieces) for ulps in worst.ulp_histogram},
        worst.worst_ulps,
        worst.worst_at,
        mean(one.mean_ulps for one in pieces),
        mean(one.mean_outward_ulps for one in pieces),
        mean(one.truncated_ulps for one in pieces),
    )
