# SPDX-License-Identifier: Apache-2.0
"""Copies of this repository with two small frozen rows, in which commands run as users run them.

A machine that runs tests is neither quiet nor steady, and a submission asks for both: in every copy
alike the judge's host is idle and its wall clock finds each call to take five microseconds.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.task.freeze import freeze
from tests.small_run import ADD_ROW, GATE_ROW, ROOT, row

POLICY = {
    "warmup_calls": "1",
    "warmup_us": "0",
    "trials": "3",
    "inner_calls_max": "4",
    "window_us": "50",
    "bootstrap_draws": "200",
}
CPU_POLICY = {"trials_max": "3", "impossible_below": "0"}
STEADY = {
    "bench/timing/clocks.py": (
        "        return (end - start) / 1e3\n\n    def each",
        "        return len(calls) * (5.0 + (end - start) % 64 / 1e3)\n\n    def each",
    ),
    "bench/task/host.py": (
        '    text = _read(proc / "loadavg")\n',
        '    text = "0.0 0.0 0.0"\n',
    ),
}


def replace_once(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new))


class Clone:
    """One copy; `sh` runs a line of a document in it, on the CPU."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        skip = shutil.ignore_patterns("__pycache__", ".*")
        for name in ("baseline", "bench", "solution"):
            shutil.copytree(ROOT / name, folder / name, ignore=skip)
        for name, change in STEADY.items():
            replace_once(folder / name, *change)
        rows = [
            row("residual_gate_add", GATE_ROW, {"B": 1, "L": 64, "D": 256}, 10),
            row("broadcast_add_4d", ADD_ROW, {"S": 16, "P": 3, "D": 256}, None),
        ]
        (folder / "workloads.json").write_text(json.dumps({"schema": 1, "rows": rows}))
        config = (ROOT / "config.toml").read_text()
        heads = {rf"^({key}) = \S+": value for key, value in POLICY.items()}
        for table, value in CPU_POLICY.items():
            heads[rf"^(\[benchmark\.{table}\].*\ncuda = .*\ncpu) = \S+"] = value
        for head, value in heads.items():
            config, found = re.subn(head, rf"\1 = {value}", config, flags=re.M)
            assert found == 1, head
        (folder / "config.toml").write_text(config)
        freeze(folder / "config.toml")

    @property
    def tuned_source(self) -> Path:
        """A file of the solution that a competitor would edit."""
        return self.folder / "solution" / "cpu" / "residual_gate_add.cc"

    def sh(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run `python FILE ...`; what it prints on either stream is in stdout."""
        program, *arguments = shlex.split(line)
        assert program == "python", line
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "COLUMNS": "200"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )

    def review(self, out: str = "review") -> dict[str, Any]:
        """What a review wrote."""
        record: dict[str, Any] = json.loads((self.folder / out / "review.json").read_text())
        return record
