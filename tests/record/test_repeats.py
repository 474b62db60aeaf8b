# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

from bench.record.repeats import repeats

HEAD = ["file", "rows in s", "geomean once", "geomean each_step"]
HEAD += ["null control, large", "null control, small", "marked trials"]


def run(
    minute: int, noises: dict[float, float], geomeans: dict[str, float]
) -> list[dict[str, Any]]:
    """A run whose rows take the given microseconds and have that noise."""
    stamp = f"2026-12-01T10:{minute:02d}:{{:02d}}+00:00".format
    rows = [
        {
            "kind": "bench",
            "time": stamp(40),
            "rounding": rounding,
            "marked_trials": 1,
            "regimes": {"call": {"solution": {"median_us": us}, "noise": noise}},
        }
        for rounding in geomeans
        for us, noise in noises.items()
    ]
    headlines = [
        {"rounding": name, "geomean": {"value": mean, "low": mean - 0.1, "high": mean + 0.1}}
        for name, mean in geomeans.items()
    ]
    start = {"kind": "run", "command": "benchmark", "time": stamp(5)}
    return [start, *rows, {"kind": "end", "headlines": headlines, "time": stamp(50)}]


def test_each_run_has_a_line_with_the_furthest_null_control_of_large_and_small_rows() -> None:
    first = run(1, {60.0: 0.002, 25.0: 0.004, 5.0: 0.021}, {"once": 2.45, "each_step": 2.4})
    second = run(9, {60.0: 0.001, 19.0: 0.03}, {"each_step": 2.5})
    unfinished = first[:-1]
    found = repeats({"b.jsonl": second, "a.jsonl": first, "c.jsonl": unfinished})
    assert found is not None
    assert list(found.head) == HEAD
    assert [list(row) for row in found.rows] == [
        [
            "a.jsonl",
            "35",
            "2.450x [2.350, 2.550]",
            "2.400x [2.300, 2.500]",
            "0.40 %",
            "2.10 %",
            "6",
        ],
        ["b.jsonl", "35", "not run", "2.500x [2.400, 2.600]", "0.10 %", "3.00 %", "2"],
    ]


def test_one_run_alone_is_no_repeat() -> None:
    assert repeats({"a.jsonl": run(1, {60.0: 0.1}, {"once": 2.0})}) is None
