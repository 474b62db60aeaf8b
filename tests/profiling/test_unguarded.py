# SPDX-License-Identifier: Apache-2.0
"""Judged calls beside the same calls in processes that nobody judges."""

from __future__ import annotations

import dataclasses
import statistics
from pathlib import Path
from typing import Any

import pytest

from bench.ops import OPS
from bench.profiling import unguarded
from bench.profiling.launch import Subject, unguarded_us
from bench.record.instruments import unguarded as table
from bench.task.config import load_config
from bench.task.device import Device
from bench.task.side import Side
from bench.task.workload import Workload, load_workloads

ROOT = Path(__file__).resolve().parents[2]
CONFIG = load_config(ROOT / "config.toml")
ROWS = load_workloads(CONFIG.workloads_path, OPS, CONFIG.task.workloads_sha256).rows
SMALL = next(row for row in ROWS if row.id == "ltx2_full_s126_c2048")
CPU = Device("cpu", None, "cpu", None, "cpu", None, 2, 1 << 20, 8 << 30)


def judged(row: Workload, rounding: str, baseline_us: float, solution_us: float) -> dict[str, Any]:
    sides = {"baseline": {"median_us": baseline_us}, "solution": {"median_us": solution_us}}
    regime = {**sides, "speedup": {"value": baseline_us / solution_us}}
    return {
        "kind": "bench",
        "workload": row.id,
        "rounding": rounding,
        "regimes": {"cold": {}, "call": regime},
    }


def test_loops_of_a_side_are_timed_in_a_process_of_its_own(tmp_path: Path) -> None:
    side = Side("baseline", f"{ROOT}/baseline/{{op}}.py:{{op}}")
    found = unguarded_us(Subject(side, (SMALL,), CPU), 5, tmp_path)
    assert list(found) == [SMALL.id]
    assert len(found[SMALL.id]) == 5
    # 126 rows of 2,048: eager takes neither less than a microsecond nor a tenth of a second
    assert 1.0 < statistics.median(found[SMALL.id]) < 1e5


def test_geomeans_of_judged_and_unguarded_speedups_stand_side_by_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = dataclasses.replace(SMALL, id="other")
    sides = [Side("baseline", "b:b"), Side("solution", "s:s", rounding="once")]
    us = {"baseline": {SMALL.id: [9.0, 8.0, 40.0], "other": [30.0]}}
    us["solution"] = {SMALL.id: [4.5], "other": [3.75]}

    asked = []

    def fake(subject: Subject, loops: int, folder: Path) -> dict[str, list[float]]:
        assert loops == unguarded.LOOPS
        asked.append(subject.side.name)
        return us[subject.side.name]

    monkeypatch.setattr(unguarded, "unguarded_us", fake)
    bench = [judged(SMALL, "once", 8.0, 4.0), judged(other, "once", 32.0, 4.0)]
    records = unguarded.unguarded_records(bench, [SMALL, other], sides, CPU)
    assert asked == ["baseline", "solution"] * unguarded.PROCESSES  # fresh ones, in turns
    assert [one["speedup"] for one in records] == [2.0, 8.0]
    assert len(records[0]["baseline_us"]) == 3 * unguarded.PROCESSES
    assert unguarded.unguarded_lines(records) == [
        "once: geomean judged 4.000x, unguarded 4.000x, 0.00% apart"
    ]
    records[0]["judged_speedup"] = 2.42
    assert unguarded.unguarded_lines(records) == [
        "once: geomean judged 4.400x, unguarded 4.000x, 10.00% apart"
    ]
    (one,) = table(records)
    assert one.rows[-1] == ["geomean", "once", "", "10.00% apart", "4.400x", "4.000x"]
    assert one.rows[0][:4] == [SMALL.id, "once", "4.00", "4.50"]


def test_a_file_without_them_has_no_table() -> None:
    assert not list(table([judged(SMALL, "once", 8.0, 4.0)]))
