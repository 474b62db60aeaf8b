# SPDX-License-Identifier: Apache-2.0
"""The solution's outputs held against what the baseline wrote for the same inputs."""

from __future__ import annotations

import dataclasses

from bench.judge.compare import ANY_ULPS, Bounds, Comparison, chunks, compare
from bench.judge.data import CaseData
from bench.judge.verify import Finding, moved
from bench.task.arithmetic import Rounding
from bench.task.tolerance import Tolerance


def compare_with_baseline(
    solution: CaseData, baseline: CaseData, rounding: Rounding, tolerance: Tolerance
) -> Comparison:
    """Compare all slots, piece by piece; both have had their turn on the same inputs.

    Where `once` and eager round differently, or sum in another order, the frozen tolerance alone
    bounds them; how far apart they are is in the record.
    """
    op, case = solution.case.op, solution.case
    exact = rounding is Rounding.EACH_STEP and not op.inexact
    bounds = Bounds(tolerance.atol, tolerance.rtol, 0 if exact else ANY_ULPS)
    mine = {name: solution.view(name) for name in op.tensors}
    theirs = {name: baseline.view(name) for name in op.tensors}
    pieces = zip(chunks(op, case.layout, mine), chunks(op, case.layout, theirs), strict=True)
    elements = worst = 0
    for (start, got), (_, wanted) in pieces:
        for name in op.outputs:
            result = compare(got[name], wanted[name], bounds, None)
            elements, worst = elements + result.elements, max(worst, result.max_ulps)
            if result.difference is not None:
                return Comparison(elements, worst, moved(result.difference, start))
    return Comparison(elements, worst, None)


def beside_eager(finding: Finding, baseline: CaseData) -> Finding:
    """Add what the baseline wrote at the first bad coordinate."""
    if finding.at is None:
        return finding
    eager = float(baseline.view(next(iter(baseline.case.op.outputs)))[finding.at])
    return dataclasses.replace(finding, text=f"{finding.text}; eager wrote {eager!r}")
