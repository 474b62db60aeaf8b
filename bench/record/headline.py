# SPDX-License-Identifier: Apache-2.0
"""The headline: a pure function of a results file's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench.timing.statistics import (
    Array,
    Interval,
    geometric_mean,
    geometric_mean_interval,
    ratio_draws,
)

Record = Mapping[str, Any]


def headline(
    records: Sequence[Record], rounding: str, regime: str, draws: int, confidence: float
) -> dict[str, Any]:
    """Equal-weight geometric mean of the production rows' speedups, with its companions.

    `by_op` holds each op's own mean; `call_weighted` weighs rows by their profiled calls where
    those are known. Raises ValueError when there is no row to speak of.
    """
    rows = [
        record
        for record in records
        if record["kind"] == "bench"
        and record["rounding"] == rounding
        and record["production"]
        and regime in record.get("regimes", {})
    ]
    rows = list({record["workload"]: record for record in rows}.values())  # a repeat replaces
    if not rows:
        raise ValueError(f"headline: no production row was timed in the {regime} regime")
    speedups = [float(row["regimes"][regime]["speedup"]["value"]) for row in rows]
    drawn = [_draws(row, regime, draws) for row in rows]
    counted = [i for i, row in enumerate(rows) if row["calls"] is not None]
    mean = geometric_mean_interval(speedups, drawn, confidence)
    return {
        "regime": regime,
        "rounding": rounding,
        "rows": len(rows),
        "geomean": _plain(mean),
        "by_op": {
            op: geometric_mean(
                [s for s, row in zip(speedups, rows, strict=True) if row["op"] == op]
            )
            for op in dict.fromkeys(row["op"] for row in rows)
        },
        "call_weighted": None
        if not counted
        else geometric_mean(
            [speedups[i] for i in counted], [float(rows[i]["calls"]) for i in counted]
        ),
        "arithmetic_mean": float(np.mean(speedups)),
        "min": min(speedups),
        "max": max(speedups),
        "noise": max(float(row["regimes"][regime]["noise"]) for row in rows),
        "marked_trials": sum(int(row["marked_trials"]) for row in rows),
    }


def _draws(row: Record, regime: str, draws: int) -> Array:
    one = row["regimes"][regime]
    baseline = np.asarray(one["baseline"]["us"], dtype=np.float64)
    solution = np.asarray(one["solution"]["us"], dtype=np.float64)
    return ratio_draws(baseline, solution, draws, int(row["draws_seed"]))


def _plain(interval: Interval) -> dict[str, float]:
    return {"value": interval.value, "low": interval.low, "high": interval.high}
