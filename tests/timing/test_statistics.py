# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
import scipy.stats

from bench.timing.statistics import (
    geometric_mean,
    geometric_mean_interval,
    ratio,
    ratio_draws,
    spread,
)

RANDOM = np.random.default_rng(20)
RATIOS = [0.5, 1.7, 2.0, 3.25]


def samples(processes: int, trials: int, level: float, between: float, within: float) -> np.ndarray:
    """Processes differ by `between` of the level, trials of one process by `within`."""
    centres = level * (1 + between * RANDOM.standard_normal((processes, 1)))
    return centres * (1 + within * RANDOM.standard_normal((processes, trials)))


def test_spread_is_that_of_the_standard_library_and_scipy_with_nothing_left_out() -> None:
    values = RANDOM.lognormal(3, 1, (4, 25))
    values[0, 0] = 1e6
    found = spread(values)
    flat = values.flatten().tolist()
    assert found.median_us == pytest.approx(statistics.median(flat))
    assert found.mad_us == pytest.approx(scipy.stats.median_abs_deviation(flat))
    tenths = statistics.quantiles(flat, n=10, method="inclusive")
    assert (found.p10_us, found.p90_us) == pytest.approx((tenths[0], tenths[-1]))
    one_moved = spread(np.append(values, 1e9))
    assert one_moved.median_us > found.median_us


def test_geometric_mean_is_scipys_and_symmetric_under_inversion() -> None:
    assert geometric_mean(RATIOS) == pytest.approx(scipy.stats.gmean(RATIOS))
    weights = [1.0, 10.0, 2.0, 4.0]
    weighted = scipy.stats.gmean(RATIOS, weights=weights)
    assert geometric_mean(RATIOS, weights) == pytest.approx(weighted)
    assert geometric_mean([2.0, 0.5]) == pytest.approx(1.0), "not the arithmetic mean's 1.25"
    assert geometric_mean([1 / one for one in RATIOS]) == pytest.approx(1 / geometric_mean(RATIOS))


def test_geometric_mean_of_many_large_ratios_neither_overflows_nor_vanishes() -> None:
    assert geometric_mean([1e300] * 50) == pytest.approx(1e300)
    assert geometric_mean([1e-300] * 50) == pytest.approx(1e-300)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_ratio_that_cannot_be_is_refused_and_not_averaged_away(bad: float) -> None:
    with pytest.raises(ValueError, match="expected positive finite numbers"):
        geometric_mean([1.0, bad])


def test_no_rows_have_no_mean() -> None:
    with pytest.raises(ValueError, match="expected positive finite numbers"):
        geometric_mean([])


def test_draws_are_reproducible_and_centred_on_the_ratio() -> None:
    baseline, solution = samples(4, 15, 20, 0.01, 0.02), samples(4, 15, 10, 0.01, 0.02)
    draws = ratio_draws(baseline, solution, 4000, 1)
    assert np.array_equal(draws, ratio_draws(baseline, solution, 4000, 1))
    assert not np.array_equal(draws, ratio_draws(baseline, solution, 4000, 2))
    found = ratio(baseline, solution, draws, 0.95)
    assert found.value == pytest.approx(np.median(baseline) / np.median(solution))
    assert found.low < found.value < found.high
    assert np.median(draws) == pytest.approx(found.value, rel=0.01)
    wider, narrower = ratio(baseline, solution, draws, 0.99), ratio(baseline, solution, draws, 0.5)
    assert wider.low < found.low < narrower.low
    assert narrower.high < found.high < wider.high


def test_noise_shared_by_both_sides_of_a_trial_cancels() -> None:
    """A throttled trial slows both; since trials are drawn together the ratio does not move."""
    throttle = RANDOM.uniform(1, 3, (1, 25))
    baseline, solution = 20 * throttle, 10 * throttle
    found = ratio(baseline, solution, ratio_draws(baseline, solution, 2000, 3), 0.95)
    assert (found.low, found.value, found.high) == pytest.approx((2.0, 2.0, 2.0))


def covered(between: float, within: float, one_level: bool, times: int = 120) -> float:
    """How often the interval holds the true ratio of 2."""
    hits = 0
    for seed in range(times):
        baseline = samples(6, 9, 20, between, within)
        solution = samples(6, 9, 10, between, within)
        if one_level:
            baseline, solution = baseline.reshape(1, -1), solution.reshape(1, -1)
        found = ratio(baseline, solution, ratio_draws(baseline, solution, 400, seed), 0.95)
        hits += found.low <= 2 <= found.high
    return hits / times


def test_the_interval_covers_the_spread_between_processes() -> None:
    """Resampling trials alone would call a difference of processes a difference of sides."""
    assert covered(0.10, 0.01, one_level=False) > 0.80
    assert covered(0.10, 0.01, one_level=True) < 0.75


def test_more_processes_narrow_the_interval() -> None:
    widths = []
    for processes in (2, 32):
        pairs = [samples(processes, 9, level, 0.1, 0.01) for level in (20, 10)]
        found = ratio(*pairs, ratio_draws(*pairs, 1000, 5), 0.95)
        widths.append(found.high - found.low)
    assert widths[1] < 0.6 * widths[0]


def test_the_interval_of_a_mean_of_rows_is_taken_in_logarithms_draw_by_draw() -> None:
    draws = [RANDOM.lognormal(math.log(one), 0.1, 5000) for one in RATIOS]
    found = geometric_mean_interval(RATIOS, draws, 0.95)
    expected = math.exp(np.mean(np.log(RATIOS)))
    half = 1.96 * 0.1 / math.sqrt(len(RATIOS))
    assert found.value == pytest.approx(expected)
    assert found.low == pytest.approx(expected * math.exp(-half), rel=0.01)
    assert found.high == pytest.approx(expected * math.exp(half), rel=0.01)
