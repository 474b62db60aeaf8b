# SPDX-License-Identifier: Apache-2.0
"""Two results files row by row: how much faster, and how sure that is.

The trials of two files are not paired, so two things are compared, each with its own interval: the
speedup of each solution over the eager of its own file, which a slower day or host moves on both
sides alike, and the solutions' times as they are. The verdict is the first one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.record.tables import Record, Section, Sentence, Table, bench_records, interval, us
from bench.reports.alike import regimes
from bench.task.errors import UserError
from bench.timing import statistics
from bench.timing.statistics import Array, Interval, geometric_mean_interval, ratio_draws, verdict

SEEDS = (1, 2)  # of the two files' draws: one seed would tie two independent runs together


@dataclass(frozen=True)
class RowChange:
    """One row in one regime, B against A; above 1 B is the faster."""

    workload: str
    rounding: str
    regime: str
    speedup: tuple[float, float]
    us: tuple[float, float]
    change: Interval
    """of the speedup over the file's own eager"""
    time_change: Interval
    """of the solution's time as it is, A's over B's"""
    noise: float
    verdict: str
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Everything that two files have in common, and what they do not."""

    allowed: Mapping[str, str]
    """differences that somebody allowed, in words"""
    rows: Sequence[RowChange]
    geomeans: Mapping[str, Interval]
    """rounding and regime -> change over all common rows"""
    missing: Sequence[str]
    """rows of A that B lacks"""
    added: Sequence[str]


def compare(
    a: Sequence[Record], b: Sequence[Record], allowed: Mapping[str, str], regime: str | None
) -> Comparison:
    """B against A in one regime, or in all that both have; UserError when they share no row."""
    before, after = _results(a), _results(b)
    shown = {regime} if regime else set(regimes(a)) & set(regimes(b))
    common = [key for key in before if key in after and key[2] in shown]
    if not common:
        raise UserError("compare: expected a row, rounding and regime in both files, got none")
    policy = a[0]["config"]["benchmark"]
    draws = {key: _draws(before[key], after[key], int(policy["bootstrap_draws"])) for key in common}
    return Comparison(
        allowed,
        [_row(key, before[key], after[key], draws[key], policy) for key in common],
        _geomeans(before, after, draws, float(policy["confidence"])),
        [" ".join(key) for key in before if key not in after and key[2] in shown],
        [" ".join(key) for key in after if key not in before and key[2] in shown],
    )


Key = tuple[str, str, str]
"""workload, rounding, regime"""


def _results(records: Sequence[Record]) -> dict[Key, Record]:
    return {
        (record["workload"], record["rounding"], regime): one
        for record in bench_records(records)
        for regime, one in record.get("regimes", {}).items()
    }


def _draws(a: Record, b: Record, count: int) -> tuple[Array, Array]:
    """Draws of B's speedup over A's, and of A's time over B's."""
    speedups, times = [], []
    for one, seed in zip((a, b), SEEDS, strict=True):
        baseline, solution = (_samples(one[side]) for side in ("baseline", "solution"))
        speedups.append(ratio_draws(baseline, solution, count, seed))
        # The same draws with a baseline that never varies: one over the solution's median.
        times.append(ratio_draws(np.ones_like(baseline), solution, count, seed))
    return speedups[1] / speedups[0], times[1] / times[0]


def _samples(side: Record) -> Array:
    return np.asarray(side["us"], dtype=np.float64)


def _row(key: Key, a: Record, b: Record, draws: tuple[Array, Array], policy: Record) -> RowChange:
    confidence = float(policy["confidence"])
    speedups = (float(a["speedup"]["value"]), float(b["speedup"]["value"]))
    times = (float(a["solution"]["median_us"]), float(b["solution"]["median_us"]))
    change = statistics.interval(speedups[1] / speedups[0], draws[0], confidence)
    noise = max(float(a["noise"]), float(b["noise"]))
    word, reason = verdict(change, noise, float(policy["same_within"]))
    return RowChange(
        *key,
        speedup=speedups,
        us=times,
        change=change,
        time_change=statistics.interval(times[0] / times[1], draws[1], confidence),
        noise=noise,
        verdict=word,
        reason=reason,
    )


def _geomeans(
    before: Mapping[Key, Record],
    after: Mapping[Key, Record],
    draws: Mapping[Key, tuple[Array, Array]],
    confidence: float,
) -> dict[str, Interval]:
    means = {}
    for group in dict.fromkeys(key[1:] for key in draws):
        keys = [key for key in draws if key[1:] == group]
        ratios = [after[k]["speedup"]["value"] / before[k]["speedup"]["value"] for k in keys]
        means[" ".join(group)] = geometric_mean_interval(
            ratios, [draws[key][0] for key in keys], confidence
        )
    return means


def slower_than(found: Comparison, percent: float) -> list[str]:
    """Rows and means whose whole interval is slower by more than so many percent."""
    edge = 1 - percent / 100
    rows = [
        f"{one.workload} {one.rounding} {one.regime}"
        for one in found.rows
        if one.change.high < edge
    ]
    means = [f"geomean {name}" for name, one in found.geomeans.items() if one.high < edge]
    return rows + means


def comparison_section(found: Comparison) -> Section:
    """What people read of it; every line names what was allowed to differ."""
    head = ["row", "rounding", "regime", "A us", "B us", "A speedup", "B speedup"]
    head += ["speedup B/A", "time A/B", "control", "verdict"]
    head += ["NOT ALIKE"] if found.allowed else []
    rows = [
        [
            one.workload,
            one.rounding,
            one.regime,
            *(us(value) for value in one.us),
            *(f"{value:.3f}x" for value in one.speedup),
            _text(one.change),
            _text(one.time_change),
            f"{one.noise:.2%}",
            one.verdict,
            *([", ".join(found.allowed)] if found.allowed else []),
        ]
        for one in found.rows
    ]
    but = f", NOT ALIKE in {', '.join(found.allowed)}" if found.allowed else ""
    sentences = [
        Sentence(f"{name}: geomean B over A {_text(one)}", f"over the common rows{but}")
        for name, one in found.geomeans.items()
    ]
    sentences += [Sentence("NOT ALIKE:", words) for words in found.allowed.values()]
    for strong, names in (("Missing in B:", found.missing), ("Only in B:", found.added)):
        sentences += [Sentence(strong, ", ".join(names))] if names else []
    return Section(sentences, [Table("B against A", head, rows)])


def _text(one: Interval) -> str:
    return interval({"value": one.value, "low": one.low, "high": one.high})
