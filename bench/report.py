# SPDX-License-Identifier: Apache-2.0
"""What people read of a results file: one line a row, the headline, docs/results.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]


def row_line(record: Record, regime: str) -> str:
    """One row: microseconds with their spread, GB/s, speedup with its interval."""
    one = record["regimes"][regime]
    baseline, solution, speedup = one["baseline"], one["solution"], one["speedup"]
    moved = record["bytes_read"] + record["bytes_written"]
    gbps = moved / solution["median_us"] / 1e3
    return (
        f"{record['workload']:36} {record['rounding']:9} {baseline['median_us']:10.2f} us"
        f" {solution['median_us']:10.2f} +- {solution['mad_us']:.2f} us {gbps:7.0f} GB/s"
        f" {speedup['value']:6.3f}x [{speedup['low']:.3f}, {speedup['high']:.3f}]"
    )


def headline_lines(headline: Record) -> list[str]:
    """The geometric mean and its companions."""
    mean = headline["geomean"]
    by_op = ", ".join(f"{op} {value:.3f}" for op, value in headline["by_op"].items())
    weighted = headline["call_weighted"]
    return [
        f"{headline['rounding']}: geomean {mean['value']:.3f}x"
        f" [{mean['low']:.3f}, {mean['high']:.3f}] over {headline['rows']} rows by"
        f" {headline['regime']}",
        f"  by op {by_op}; call-weighted {weighted:.3f}; arithmetic mean"
        f" {headline['arithmetic_mean']:.3f}; min {headline['min']:.3f}; max {headline['max']:.3f}",
    ]
