# SPDX-License-Identifier: Apache-2.0
"""A config with two rows that take milliseconds, frozen as the real one is."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from bench.ops import OPS

ROOT = Path(__file__).resolve().parents[1]
GATE_ROW, ADD_ROW = "small_gate", "small_add"


def row(op: str, name: str, axes: dict[str, int], calls: int | None) -> dict[str, Any]:
    layout = next(iter(OPS[op].layouts))
    return {
        "id": name,
        "op": op,
        "layout": layout,
        "axes": axes,
        "dtype": "bfloat16",
        "seed": 7,
        "strides": {t: list(OPS[op].strides(t, layout, axes)) for t in OPS[op].tensors},
        "tolerance": {"atol": 0.05, "rtol": 0.05},
        "production": True,
        "origin": "a test",
        "calls": calls,
    }


class SmallRun:
    """Writes the files of a run and its arguments; `rows` and `config` may be changed before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = [
            row("residual_gate_add", GATE_ROW, {"B": 1, "L": 64, "D": 256}, 10),
            row("broadcast_add_4d", ADD_ROW, {"S": 16, "P": 3, "D": 256}, None),
        ]
        self.config = (ROOT / "config.toml").read_text()

    @property
    def config_path(self) -> Path:
        return self.folder / "config.toml"

    @property
    def workloads_path(self) -> Path:
        return self.folder / "workloads.json"

    def write(self, *, frozen: bool = True) -> None:
        content = json.dumps({"schema": 1, "rows": self.rows}).encode()
        self.workloads_path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest() if frozen else "0" * 64
        line = f'workloads_sha256 = "{digest}"'
        self.config = re.sub(r'workloads_sha256 = "\w+"', line, self.config)
        self.config_path.write_text(self.config)

    def arguments(self, solution: Path, *more: str) -> list[str]:
        """The flags of a run that takes as few samples as the policy allows."""
        small = {
            "trials": 2,
            "trials_max.cpu": 2,
            "inner_calls_max": 4,
            "window_us": 50,
            "warmup_calls": 1,
            "warmup_us": 0,
            "processes.cpu": 2,
            "impossible_below.cpu": 0,
            "row_time_limit_s": 60,
            "bootstrap_draws": 100,
        }
        sets = [f"--set=benchmark.{key}={value}" for key, value in small.items()]
        config = ["--config", str(self.config_path), "--solution", str(solution)]
        return [*config, "--device", "cpu", *sets, *more]
