# SPDX-License-Identifier: Apache-2.0
"""How a benchmark ends: the headline, or why there is none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from bench.judge.contenders import HEADLINE
from bench.record.headline import headline
from bench.record.lines import headline_lines
from bench.record.results import ResultsFile
from bench.run import Run


def headline_regime(run: Run) -> str:
    """The regime that the run's headline is made of."""
    return HEADLINE[run.device.type]


def missing(run: Run, records: Sequence[Mapping[str, Any]], row: str) -> set[str]:
    """The roundings in which a row has no passed record."""
    return {rounding.value for rounding in run.roundings} - {
        str(record["rounding"])
        for record in records
        if record["kind"] == "bench" and record["workload"] == row and record["status"] == "PASSED"
    }


def conclude(run: Run, results: ResultsFile, console: Console, passed: bool) -> int:
    """Write the end record; no headline unless every frozen production row passed."""
    reasons = []
    if not run.workloads.frozen:
        reasons.append("workloads.json is not frozen")
    if not run.complete:
        reasons.append("not every production row was chosen")
    lacking = [row.id for row in run.rows if missing(run, results.written, row.id)]
    if lacking:
        reasons.append(f"no passed result of {', '.join(lacking)}")
    passed = passed and not lacking
    policy = run.config.benchmark
    headlines = (
        []
        if reasons
        else [
            headline(
                results.written,
                rounding.value,
                headline_regime(run),
                policy.bootstrap_draws,
                policy.confidence,
            )
            for rounding in run.roundings
        ]
    )
    idle_after = run.probe.read({os.getpid()}).to_record()
    results.append(
        {
            "kind": "end",
            "headlines": headlines,
            "no_headline_because": reasons,
            "passed": passed,
            "seed": run.seed,
            "idle_after": idle_after,
        }
    )
    for one in headlines:
        for line in headline_lines(one):
            console.print(line, markup=False)
    if reasons:
        console.print(f"no headline: {'; '.join(reasons)}", markup=False)
    return 0 if passed else 1
