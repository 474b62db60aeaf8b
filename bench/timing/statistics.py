# SPDX-License-Identifier: Apache-2.0
"""Pure functions of samples: spread, ratios with intervals, means of ratios.

Samples of a side are [processes, trials]: where the host is the limit the process itself is a
random variable, so intervals resample processes first and trials within them (two-level bootstrap:
Davison and Hinkley, Bootstrap Methods and their Application, section 3.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
LARGEST_NOISE = 0.1  # a null control further off than this says nothing about sameness


@dataclass(frozen=True)
class Spread:
    """Where a side's samples lie, in microseconds a call."""

    median_us: float
    mad_us: float
    """median absolute deviation, unscaled"""
    p10_us: float
    p90_us: float


@dataclass(frozen=True)
class Interval:
    """A value and the interval in which it lies with the stated confidence."""

    value: float
    low: float
    high: float


def spread(samples: Array) -> Spread:
    """Describe samples of any shape; none is left out."""
    p10, median, p90 = np.percentile(samples, [10, 50, 90])
    mad = np.median(np.abs(samples - median))
    return Spread(float(median), float(mad), float(p10), float(p90))


def relative_error(samples: Array) -> float:
    """Standard error of the median over trials, as a share of it; samples are [processes, trials].

    For a normal spread the median's standard error is 1.253 times the mean's, and the median
    absolute deviation times 1.4826 is its standard deviation: one stalled trial does not move it.
    """
    trials = np.median(samples, axis=0)
    centre = np.median(trials)
    deviation = 1.4826 * np.median(np.abs(trials - centre))
    return float(1.253 * deviation / np.sqrt(trials.size) / centre)


def ratio_draws(baseline: Array, solution: Array, draws: int, seed: int) -> Array:
    """Bootstrap draws of median(baseline) / median(solution), each side [processes, trials].

    Trials are drawn once for both sides, since both saw the same trial; processes of each side
    are drawn apart.
    """
    random = np.random.default_rng(seed)
    trials = random.integers(0, baseline.shape[1], (draws, 1, baseline.shape[1]))

    def medians(samples: Array) -> Array:
        processes = random.integers(0, samples.shape[0], (draws, samples.shape[0], 1))
        drawn: Array = np.median(samples[processes, trials], axis=(1, 2))
        return drawn

    return medians(baseline) / medians(solution)


def ratio(baseline: Array, solution: Array, draws: Array, confidence: float) -> Interval:
    """The ratio of medians with its percentile interval from bootstrap draws."""
    value = float(np.median(baseline) / np.median(solution))
    return interval(value, draws, confidence)


def verdict(found: Interval, noise: float, same_within: float) -> tuple[str, str]:
    """FAST, SLOW, SAME or AMBIGUOUS, with the reason; inside the noise floor it is SAME."""
    margin = max(noise, same_within)
    band = f"[{1 / (1 + margin):.3f}, {1 + margin:.3f}]"
    shown = f"[{found.low:.3f}, {found.high:.3f}]"
    if found.low > 1 + margin:
        return "FAST", f"{shown} lies above {band}"
    if found.high < 1 / (1 + margin):
        return "SLOW", f"{shown} lies below {band}"
    if found.high <= 1 + margin and found.low >= 1 / (1 + margin):
        return "SAME", f"{shown} lies inside {band}"
    if margin <= LARGEST_NOISE and abs(found.value - 1) <= margin:
        return "SAME", f"{found.value:.3f} lies inside the noise {band}"
    return "AMBIGUOUS", f"{shown} reaches across an edge of {band}"


def geometric_mean(ratios: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """exp of the weighted mean of logarithms; ValueError unless all are positive and finite."""
    values = np.asarray(ratios, dtype=np.float64)
    if values.size == 0 or not np.all(np.isfinite(values)) or np.any(values <= 0):
        raise ValueError(f"ratios: expected positive finite numbers, got {list(ratios)}")
    return float(np.exp(np.average(np.log(values), weights=weights)))


def geometric_mean_interval(
    ratios: Sequence[float],
    draws: Sequence[Array],
    confidence: float,
    weights: Sequence[float] | None = None,
) -> Interval:
    """The geometric mean of rows with the interval of its row-wise bootstrap draws."""
    means = np.exp(np.average(np.log(np.stack(list(draws))), axis=0, weights=weights))
    return interval(geometric_mean(ratios, weights), means, confidence)


def interval(value: float, draws: Array, confidence: float) -> Interval:
    """A value with the percentile interval of its bootstrap draws."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(value, float(low), float(high))
