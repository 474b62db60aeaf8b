# SPDX-License-Identifier: Apache-2.0
"""What judging one row gave: checks, trials, and a record a rounding."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from bench.judge.checker import Check
from bench.judge.contenders import Contender
from bench.judge.verify import Finding
from bench.task.side import SIDES
from bench.task.workload import Workload


@dataclass
class RowOutcome:
    """Everything that one row gave: checks first, then its trials and a record a rounding."""

    row: Workload
    checks: list[Check] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    rivals: dict[str, Finding] = field(default_factory=dict)
    """rivals that had no part in the row, and why"""
    failure: Finding | None = None
    seconds: float = 0.0

    def fail(self, contender: Contender, finding: Finding) -> None:
        """Keep why the row has no result; a check says it if it is not said yet."""
        self.failure = dataclasses.replace(finding, text=f"{contender.side}: {finding.text}")
        self.records = []
        if all(check.finding.passed for check in self.checks):
            side = contender.side if contender.side in SIDES else None
            check = row_check(self.row, contender, finding)
            self.checks.append(dataclasses.replace(check, check="timing", side=side))


def row_check(row: Workload, one: Contender, finding: Finding) -> Check:
    """A contender's finding as a check of its row."""
    where = {"layout": row.layout, "axes": dict(row.axes), "dtype": row.dtype}
    return Check("production", row.op.name, one.side, one.rounding.value, finding, row.id, where)
