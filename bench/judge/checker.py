# SPDX-License-Identifier: Apache-2.0
"""Runs one check at a time on both sides and says how it ended."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from bench.judge.against_baseline import beside_eager, compare_with_baseline
from bench.judge.case import Case
from bench.judge.compare import Bounds
from bench.judge.data import CaseData
from bench.judge.reply import PlayerFailure
from bench.judge.session import Session
from bench.judge.turn import BROKEN, Window, bind, fill_inputs, take_turn
from bench.judge.verify import Expectation, Finding, finding_of, measured
from bench.player.memory import OutOfMemory
from bench.record.status import Status
from bench.task.arithmetic import Rounding
from bench.task.config import Correctness
from bench.task.op import Op
from bench.task.side import SIDES
from bench.task.tolerance import Tolerance

CRASHES_MAX = 3  # of one side on one op; a fresh process costs seconds, and hundreds may follow


@dataclass(frozen=True)
class Check:
    """What was asked, of whom, and how it ended."""

    check: str
    """its kind: production, grid, special, ..."""
    op: str
    side: str | None
    """None where the judge itself was checked"""
    rounding: str
    finding: Finding
    workload: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    """layout, axes, dtype, offsets: whatever tells this one from its kin"""

    def record(self) -> dict[str, Any]:
        """The check as a record of the results file."""
        numerics = self.finding.numerics
        return {
            "kind": "check",
            "workload": self.workload,
            "side": self.side,
            "check": self.check,
            "rounding": self.rounding,
            "status": self.finding.status.value,
            "op": self.op,
            **self.where,
            "text": self.finding.text,
            "max_ulps": self.finding.max_ulps,
            "elements": self.finding.elements,
            **({"numerics": dataclasses.asdict(numerics)} if numerics else {}),
        }


@dataclass
class Checker:
    """Asks both sides for the same case and compares; every outcome goes to `emit`."""

    session: Session
    policy: Correctness
    rounding: Rounding
    sides: Sequence[str]
    emit: Callable[[Check], None]
    random: random.Random
    _crashes: dict[tuple[str, str], int] = field(default_factory=dict, init=False)

    def run(
        self,
        check: str,
        case: Case,
        tolerance: Tolerance | None = None,
        *,
        workload: str | None = None,
        plant: Callable[[CaseData], None] | None = None,
    ) -> dict[str, Finding]:
        """Give every side one case; the grid's tolerance for its dtype where none is given."""
        tolerance = tolerance or self.policy.tolerance.of(case.dtype)
        findings: dict[str, Finding] = {}
        try:
            for side in self.sides:
                self.session.data(side, case)
        except OutOfMemory as error:
            findings = dict.fromkeys(self.sides, Finding(Status.OUT_OF_MEMORY, str(error)))
            for side, finding in findings.items():
                self._emit(check, case, side, finding, workload)
            return findings
        before = fill_inputs(self.session, self.sides[0], case, plant)
        for side in self.sides:
            finding = self._one(side, case, tolerance, before)
            if side == "solution" and findings.get("baseline", NOT_RUN).passed:
                finding = beside_eager(finding, self.session.data("baseline", case))
            if check == "production":
                finding = measured(finding, self.session.data(side, case), (0, case.slots))
            findings[side] = finding
            self._emit(check, case, side, finding, workload)
        if check == "production" and all(findings.get(s, NOT_RUN).passed for s in SIDES):
            mine, theirs = (self.session.data(s, case) for s in ("solution", "baseline"))
            found = compare_with_baseline(mine, theirs, self.rounding, tolerance)
            self._emit("against baseline", case, "solution", finding_of(found), workload)
        return findings

    def run_twice_bound(self, check: str, case: Case, window: Window) -> None:
        """Bind once, then take two turns, each on inputs of its own: nothing may be kept."""
        tolerance = self.policy.tolerance.of(case.dtype)
        for side in self.sides:
            before = fill_inputs(self.session, side, case)
            finding = self._one(side, case, tolerance, before, window)
            self._emit(check, case, side, finding, None)
            if finding.passed:
                before = fill_inputs(self.session, side, case)
                finding = self._asked(side, case, tolerance, before, window)
                self._emit(f"{check} again", case, side, finding, None)

    def expectation(
        self, side: str, op: Op, tolerance: Tolerance, before: torch.Tensor
    ) -> Expectation:
        """The baseline rounds each step, whatever the solution has been asked for."""
        rounding = Rounding.EACH_STEP if side == "baseline" else self.rounding
        return Expectation(rounding, bounds_for(self.policy, op, rounding, tolerance), before)

    def load(self, op: Op) -> bool:
        """Build and load an op on every side; False when a side has none to check."""
        loaded = True
        for side in self.sides:
            finding = Finding(Status.PASSED, "")
            try:
                self.session.ask(side, {"do": "load", "op": op.name})
            except PlayerFailure as failure:
                self.session.leave(side)
                finding = Finding(failure.status, str(failure))
                loaded = False
            self.emit(Check("load", op.name, side, self.rounding.value, finding))
        return loaded

    def given_up(self, side: str, op: str) -> bool:
        """Whether a side has crashed too often on an op to be asked again."""
        return self._crashes.get((side, op), 0) >= CRASHES_MAX

    def failed(self, side: str, op: str, finding: Finding) -> None:
        """Count a crash of a side on an op."""
        if finding.status in BROKEN:
            self._crashes[side, op] = self._crashes.get((side, op), 0) + 1

    def _one(
        self,
        side: str,
        case: Case,
        tolerance: Tolerance,
        before: torch.Tensor,
        window: Window | None = None,
    ) -> Finding:
        op = case.op.name
        if self.given_up(side, op):
            return Finding(Status.NOT_RUN, f"{side} crashed {CRASHES_MAX} times on {op} before")
        finding = bind(self.session, side, case)
        if finding.passed:
            return self._asked(side, case, tolerance, before, window or Window(0, case.slots))
        self.failed(side, op, finding)
        return finding

    def _asked(
        self, side: str, case: Case, tolerance: Tolerance, before: torch.Tensor, window: Window
    ) -> Finding:
        expect = self.expectation(side, case.op, tolerance, before)
        nonce = self.random.getrandbits(16)
        _, finding = take_turn(self.session, side, case, window, expect, nonce)
        self.failed(side, case.op.name, finding)
        return finding

    def _emit(
        self, check: str, case: Case, side: str, finding: Finding, workload: str | None
    ) -> None:
        where = {"layout": case.layout, "axes": dict(case.axes), "dtype": case.dtype}
        if case.offsets:
            where["offsets"] = dict(case.offsets)
        rounding = self.rounding.value
        self.emit(Check(check, case.op.name, side, rounding, finding, workload, where))


NOT_RUN = Finding(Status.NOT_RUN, "")


def bounds_for(policy: Correctness, op: Op, rounding: Rounding, tolerance: Tolerance) -> Bounds:
    """The frozen tolerance and the rounding's distance in units of the last place.

    The envelope of an inexact op has room for the last rounding: a unit more would hide a rounding
    of an intermediate result.
    """
    once = rounding is Rounding.ONCE and not op.inexact
    max_ulps = policy.once_max_ulps if once else policy.each_step_max_ulps
    return Bounds(tolerance.atol, tolerance.rtol, max_ulps)
