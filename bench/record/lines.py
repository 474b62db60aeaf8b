# SPDX-License-Identifier: Apache-2.0
"""One line a row and the headline, as the console shows them; the same as one plain object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


def row_line(record: Record, regime: str) -> str:
    """One row: microseconds with their spread, GB/s, speedup with its interval, verdict."""
    one = record["regimes"][regime]
    baseline, solution, speedup = one["baseline"], one["solution"], one["speedup"]
    roof = record["roofline"]
    return (
        f"{record['workload']:36} {record['rounding']:9} {baseline['median_us']:9.2f}"
        f" {solution['median_us']:9.2f} +-{solution['mad_us']:6.2f} us"
        f" {roof['cold_gbps']:5.0f} GB/s {roof['attainable_fraction']:5.2f}"
        f" {speedup['value']:6.3f}x [{speedup['low']:.3f}, {speedup['high']:.3f}]"
        f" {one['verdict']} {roof['bound']}"
    )


def headline_lines(headline: Record) -> list[str]:
    """The geometric mean and its companions."""
    mean = headline["geomean"]
    by_op = ", ".join(f"{op} {value:.3f}" for op, value in headline["by_op"].items())
    weighted = headline["call_weighted"]
    lines = [
        f"{headline['rounding']}: geomean {mean['value']:.3f}x"
        f" [{mean['low']:.3f}, {mean['high']:.3f}] over {headline['rows']} rows by"
        f" {headline['regime']}; null control within {headline['noise']:.1%}",
        f"  by op {by_op}; call-weighted"
        f" {'unknown' if weighted is None else format(weighted, '.3f')}; arithmetic mean"
        f" {headline['arithmetic_mean']:.3f}; min {headline['min']:.3f}; max {headline['max']:.3f}",
    ]
    if headline["marked_trials"]:
        lines.append(f"  {headline['marked_trials']} trials were throttled or contended")
    return lines


def summary(records: Sequence[Record]) -> dict[str, Any]:
    """A benchmark's rows and its end without the samples, ready for JSON."""
    sides = ("baseline", "solution")
    rows = [
        {
            **{key: record[key] for key in ("workload", "rounding", "status", "roofline")},
            "regimes": {
                name: {
                    **{f"{side}_us": one[side]["median_us"] for side in sides},
                    **{key: one[key] for key in ("speedup", "noise", "verdict", "reason")},
                }
                for name, one in record["regimes"].items()
            },
        }
        for record in records
        if record["kind"] == "bench" and "regimes" in record
    ]
    failures = [one for one in records if one["kind"] == "check" and one["status"] != "PASSED"]
    end = {key: value for key, value in records[-1].items() if key != "kind"}
    return {"rows": rows, "failures": failures, **end}
