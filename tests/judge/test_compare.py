# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
import torch

from bench.judge.compare import Bounds, Comparison, compare, ulps_between

INTEGER = {"bfloat16": torch.int16, "float16": torch.int16, "float32": torch.int32}
INF, NAN = math.inf, math.nan
EXACT = Bounds(0.05, 0.05, 0)
ONE_ULP = Bounds(0.05, 0.05, 1)
ANY_ULPS = Bounds(0.05, 0.05, 1 << 40)  # as the solution is held against eager under `once`


def row(dtype: str, *values: float) -> torch.Tensor:
    return torch.tensor([values], dtype=getattr(torch, dtype))


def of_bits(dtype: str, *bits: int) -> torch.Tensor:
    return torch.tensor([bits], dtype=INTEGER[dtype]).view(getattr(torch, dtype))


def right(got: torch.Tensor, expected: torch.Tensor, bounds: Bounds) -> bool:
    return compare(got, expected, bounds, None).difference is None


@pytest.mark.parametrize("dtype", list(INTEGER))
def test_distance_is_one_between_neighbours_over_all_finite_values(dtype: str) -> None:
    """From the largest negative value up: nextafter in the dtype is one step, zero counted once."""
    exponent = {"bfloat16": 0x7F80, "float16": 0x7C00, "float32": 0x7F800000}[dtype]
    step = 1 if dtype != "float32" else 40503
    for first in (0, 1, exponent - 8 * step):
        positive = torch.arange(first, first + 8 * step, step, dtype=torch.int64)
        low = positive.to(INTEGER[dtype]).view(getattr(torch, dtype))
        high = (positive + step).to(INTEGER[dtype]).view(getattr(torch, dtype))
        assert ulps_between(high, low).tolist() == [step] * 8
        assert ulps_between(-low, -high).tolist() == [step] * 8
    assert int(ulps_between(of_bits(dtype, 1), -of_bits(dtype, 1))) == 2


@pytest.mark.parametrize("dtype", list(INTEGER))
@pytest.mark.parametrize(
    ("got", "expected", "exact", "one_ulp", "any_ulps"),
    [
        (NAN, NAN, True, True, True),
        (NAN, 1.0, False, False, False),
        (1.0, NAN, False, False, False),
        (NAN, INF, False, False, False),
        (INF, NAN, False, False, False),
        (INF, INF, True, True, True),
        (-INF, -INF, True, True, True),
        (-INF, INF, False, False, False),
        (INF, 1.0, False, False, False),
        (1.0, INF, False, False, False),
        (-1.0, -INF, False, False, False),
        (0.0, -0.0, False, True, True),
        (-0.0, 0.0, False, True, True),
        (1.0, 1.0, True, True, True),
        (1.0, -1.0, False, False, False),
    ],
)
def test_special_values_under_every_bound(
    dtype: str, got: float, expected: float, exact: bool, one_ulp: bool, any_ulps: bool
) -> None:
    pair = row(dtype, 1.5, got), row(dtype, 1.5, expected)
    assert right(*pair, EXACT) is exact
    assert right(*pair, ONE_ULP) is one_ulp
    assert right(*pair, ANY_ULPS) is any_ulps


@pytest.mark.parametrize("dtype", list(INTEGER))
def test_the_largest_finite_value_is_not_infinity_though_one_step_away(dtype: str) -> None:
    largest = row(dtype, torch.finfo(getattr(torch, dtype)).max)
    assert int(ulps_between(row(dtype, INF), largest)) == 1
    assert not right(largest, row(dtype, INF), ONE_ULP)
    assert not right(row(dtype, INF), largest, ONE_ULP)


@pytest.mark.parametrize("dtype", list(INTEGER))
def test_subnormals_are_compared_by_steps_though_any_tolerance_holds_them(dtype: str) -> None:
    assert right(of_bits(dtype, 3), of_bits(dtype, 2), ONE_ULP)
    assert not right(of_bits(dtype, 4), of_bits(dtype, 2), ONE_ULP)
    assert not right(of_bits(dtype, 1), of_bits(dtype, 2), EXACT)
    assert not right(row(dtype, 0.0), of_bits(dtype, 2), ONE_ULP), "a flush to zero"


def test_both_the_tolerance_and_the_steps_must_hold() -> None:
    got, expected = row("bfloat16", 100.5), row("bfloat16", 100.0)
    assert int(ulps_between(got, expected)) == 1
    assert right(got, expected, Bounds(0.0, 0.006, 1))
    assert not right(got, expected, Bounds(0.0, 0.004, 1)), "one step, but a tighter tolerance"
    assert right(got, expected, Bounds(0.6, 0.0, 1))
    assert not right(got, expected, Bounds(0.4, 0.0, 1))
    assert not right(got, expected, Bounds(0.6, 0.0, 0)), "within tolerance, but a step away"


def test_no_share_of_wrong_elements_is_allowed_and_all_are_counted() -> None:
    expected = torch.ones(4, 1000, dtype=torch.bfloat16)
    got = expected.clone()
    got[3, 998] = 2.0
    result = compare(got, expected, ONE_ULP, None)
    assert result.difference is not None
    assert result.difference.mismatches == 1
    assert result.difference.coordinate == (3, 998)
    assert (result.difference.expected, result.difference.got) == (1.0, 2.0)
    assert result.difference.ulps == result.max_ulps == 128
    assert result.elements == 4000
    got[1, 5] = 0.0
    result = compare(got, expected, ONE_ULP, None)
    assert result.difference is not None
    assert (result.difference.mismatches, result.difference.coordinate) == (2, (1, 5))


def test_poison_equals_nothing_not_even_an_expected_nan() -> None:
    poison = 0x7FA5
    got = of_bits("bfloat16", poison, 0x7FC0)
    assert right(got, row("bfloat16", NAN, NAN), EXACT)
    result = compare(got, row("bfloat16", NAN, NAN), EXACT, poison)
    assert result.difference is not None
    assert result.difference.mismatches == 1
    assert "unwritten" in result.difference.cause
    assert compare(got, got.clone(), EXACT, poison).difference is not None, "the same bits"


def test_views_with_any_strides_compare_as_their_values() -> None:
    expected = torch.rand(6, 8).to(torch.float16)
    padded = torch.zeros(6, 16, dtype=torch.float16)
    padded[:, ::2] = expected
    assert right(padded[:, ::2], expected, EXACT)
    assert right(expected.t().contiguous().t(), expected, EXACT)
    assert right(expected, expected[:1].expand(6, 8), EXACT) is False


def test_an_empty_output_is_right() -> None:
    empty = torch.empty(2, 0, 8, dtype=torch.float32)
    assert compare(empty, empty, EXACT, 0x7FA5A501) == Comparison(0, 0, None)


def cause(change: str, poison: int | None = None) -> str:
    expected = torch.rand(2, 8, 65).add(1).to(torch.bfloat16)
    got = expected.clone()
    exec(change, {"got": got, "torch": torch, "bits": got.view(torch.int16)})
    difference = compare(got, expected, EXACT, poison).difference
    assert difference is not None
    return difference.cause


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("bits[...] = 0x7FA1", "no store at all"),
        ("bits[1, 3:, 9] = 0x7FA1", "nothing was stored"),
        ("got[..., 64:] = 9", "tail"),
        ("got[..., 56:] = 9", "tail"),
        ("bits[0, 3, 40] += 1", "rounding"),
        ("bits[...] -= 1", "rounding"),
        ("got[0, 1:] = 9; got[1] = 9", "broadcast"),
        ("got[...] = 9", "formula: every"),
        ("got[1, ::3, ::2] = 9", "formula or indexing"),
    ],
)
def test_the_pattern_of_wrong_elements_names_the_likely_cause(change: str, word: str) -> None:
    assert word in cause(change, 0x7FA1)


def test_a_difference_reads_as_one_sentence_with_all_five_facts() -> None:
    result = compare(row("bfloat16", 1.0, 3.0), row("bfloat16", 1.0, 2.0), EXACT, None)
    assert str(result.difference) == (
        "1 wrong, first at [0, 1]: expected 2.0, got 3.0 (64 ulps); likely tail: only the last"
        " columns are wrong"
    )
