# SPDX-License-Identifier: Apache-2.0
"""The benchmark command with a judge that answers at once, by what a real row left."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import benchmark
from bench.judge.outcome import RowOutcome
from bench.judge.row import RowJudge
from bench.task.workload import Workload
from tests.fake_solution import FakeSolution
from tests.small_run import ADD_ROW, GATE_ROW, SmallRun


@dataclasses.dataclass
class Judged:
    """What the real run left."""

    code: int
    printed: str
    records: list[dict[str, Any]]
    outcome: RowOutcome

    def replay(self, row: Workload, speedup: float = 2.0) -> RowOutcome:
        """The same outcome as if it were another row's."""
        outcome = copy.deepcopy(self.outcome)
        checks = [dataclasses.replace(one, workload=row.id) for one in outcome.checks]
        for record in outcome.records:
            record["workload"] = row.id
            if record["kind"] == "bench":
                record.update(op=row.op.name, calls=row.calls)
                for regime in record["regimes"].values():
                    regime["speedup"]["value"] = speedup
        return RowOutcome(row, checks, outcome.records)


class Replayed:
    """The command with a judge that answers at once."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, judged: Judged) -> None:
        self.run, self.solution = SmallRun(folder), FakeSolution(folder / "solution")
        self.out = folder / "results.jsonl"
        self.rows: list[str] = []
        self._patch, self._judged = patch, judged
        patch.setattr(benchmark, "build_all", lambda *_: None)
        self.judge_with({})

    def judge_with(self, special: dict[str, Callable[[Workload], RowOutcome]]) -> None:
        def judge(_: RowJudge, row: Workload) -> RowOutcome:
            self.rows.append(row.id)
            speedup = {GATE_ROW: 2.0, ADD_ROW: 4.5}[row.id]
            default = lambda row: self._judged.replay(row, speedup)  # noqa: E731
            return special.get(row.id, default)(row)

        self._patch.setattr(RowJudge, "judge", judge)

    def __call__(self, *more: str) -> int:
        return benchmark.main(self.run.arguments(self.solution.folder, f"--out={self.out}", *more))
