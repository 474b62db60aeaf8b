# SPDX-License-Identifier: Apache-2.0
"""Results files with chosen medians, of the form that the benchmark writes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.record.headline import headline
from bench.record.results import ResultsFile
from bench.task.config import load_config
from bench.timing.statistics import ratio, ratio_draws, spread, verdict

ROOT = Path(__file__).resolve().parents[2]
CONFIG = load_config(ROOT / "config.toml")
ROWS = {"row_a": (100.0, 50.0), "row_b": (60.0, 20.0)}
"""workload -> the eager and the solution median, microseconds"""
SCATTER = 0.002


def records(
    rows: Mapping[str, tuple[float, float]] = ROWS,
    *,
    seed: int = 0,
    noise: float = 0.001,
    regimes: tuple[str, ...] = ("cold", "call"),
    marks: tuple[str, ...] = (),
    device: str = "NVIDIA H200",
    scatter: float = SCATTER,
) -> list[dict[str, Any]]:
    """A whole benchmark of one rounding, as its file would hold it without the envelope."""
    random = np.random.default_rng(seed)
    found = [_run(list(rows), device)]
    for name, medians in rows.items():
        found += list(_row(name, medians, random, noise, regimes, marks, scatter))
    one = headline(found, "each_step", regimes[-1], 200, 0.95)
    end = {"kind": "end", "headlines": [one], "no_headline_because": [], "passed": True}
    return [*found, end]


def write(path: Path, found: list[dict[str, Any]]) -> Path:
    """The records as a results file."""
    with ResultsFile.create(path) as file:
        for record in found:
            file.append({key: value for key, value in record.items() if key != "time"})
    return path


def _run(rows: list[str], device: str) -> dict[str, Any]:
    config = json.loads(json.dumps(CONFIG.resolved()))
    config["benchmark"]["bootstrap_draws"] = 500
    return {
        "kind": "run",
        "time": "2026-01-02T03:04:05.000000+00:00",
        "command": "benchmark",
        "slug": "a_task",
        "config": config,
        "overrides": {},
        "frozen": True,
        "rows": rows,
        "roundings": ["each_step"],
        "provenance": {
            "command": ["bench/benchmark.py"],
            "timer": "cuda_event",
            "tree_sha256": {"baseline": "b" * 64, "solution": "c" * 64, "bench": "d" * 64},
            "file_sha256": {"workloads": "e" * 64, "config": "f" * 64},
            "git": {"revision": "a" * 40, "dirty": False, "source": "git"},
            "versions": {"driver": "1", "cuda": "1", "torch": "1", "tvm_ffi": "1"},
            "device": {
                "type": "cuda",
                "name": device,
                "uuid": "GPU-1",
                "pinned": True,
                "compute_capability": "9.0",
            },
            "host": {"cpu_model": "a processor", "core_count": 2, "landlock_version": 7},
        },
    }


def _row(
    name: str,
    medians: tuple[float, float],
    random: np.random.Generator,
    noise: float,
    regimes: tuple[str, ...],
    marks: tuple[str, ...],
    scatter: float,
) -> Iterator[dict[str, Any]]:
    for side in ("baseline", "solution"):
        yield {
            "kind": "check",
            "workload": name,
            "side": side,
            "check": "production",
            "rounding": "each_step",
            "status": "PASSED",
        }
    state = {
        "time_unix_s": 1.0,
        "host_load_1m": 0.5,
        "cpu_mhz": None,
        "sm_clock_mhz": 1980,
        "memory_clock_mhz": 3201,
        "temperature_c": 40,
        "power_w": 300.0,
    }
    trials = [
        {"marks": list(marks), "machine": [state, {**state, "time_unix_s": 2.0}]} for _ in range(7)
    ]
    yield {"kind": "trials", "workload": name, "trials": trials}
    yield {
        "kind": "bench",
        "workload": name,
        "op": "an_op",
        "rounding": "each_step",
        "status": "PASSED",
        "production": True,
        "calls": 1,
        "bytes_read": int(medians[1] * 2e6),  # 3000 GB/s, so no two rows are of one size
        "bytes_written": int(medians[1] * 1e6),
        "plan": "a plan",
        "regimes": {one: _regime(medians, random, noise, scatter) for one in regimes},
        "marked_trials": 0,
        "draws_seed": 7,
        "roofline": {
            "cold_gbps": 3000.0,
            "attainable_fraction": 0.9,
            "datasheet_fraction": 0.8,
            "over_empty_call": 2.0,
            "bound": "bandwidth",
        },
    }


def _regime(
    medians: tuple[float, float], random: np.random.Generator, noise: float, scatter: float
) -> dict[str, Any]:
    baseline, solution = (one * random.normal(1, scatter, (4, 7)) for one in medians)
    speedup = ratio(baseline, solution, ratio_draws(baseline, solution, 200, 7), 0.95)
    word, reason = verdict(speedup, noise, 0.01)
    return {
        "baseline": _side(baseline),
        "solution": _side(solution),
        "others": {"stream": _side(solution[:1] * 0.9), "empty": _side(solution[:1] * 0.1)},
        "speedup": dataclasses.asdict(speedup),
        "noise": noise,
        "verdict": word,
        "reason": reason,
    }


def _side(samples: np.ndarray) -> dict[str, Any]:
    return {"us": samples.tolist(), **dataclasses.asdict(spread(samples))}
