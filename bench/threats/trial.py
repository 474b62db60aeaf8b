# SPDX-License-Identifier: Apache-2.0
"""One case through the production judge: what caught it, if anything did."""

from __future__ import annotations

import dataclasses
import random
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.judge.build import BUILDS, build_folder
from bench.judge.checker import Check, Checker
from bench.judge.contenders import FLOORS, Contender
from bench.judge.row import RowJudge
from bench.judge.session import Session
from bench.judge.suite import Suite
from bench.ops import OPS
from bench.record.machine import MachineProbe
from bench.record.status import Status
from bench.record.tree import without_machine_paths
from bench.task.arithmetic import Rounding
from bench.task.checkout import ROOT
from bench.task.config import Config
from bench.task.device import Device
from bench.task.op import Op
from bench.task.side import Side
from bench.task.tolerance import Tolerance
from bench.task.workload import Workload
from bench.threats.case import Threat
from bench.threats.folder import write_folder

# Enough for every defence to speak: several trials, several calls a sample, warm calls before.
POLICY: Mapping[str, float] = {
    "benchmark.warmup_calls": 2,
    "benchmark.warmup_us": 200,
    "benchmark.warmup_us_max": 2000,
    "benchmark.trials": 3,
    "benchmark.extra_trials": 0,
    "benchmark.window_us": 1000,
    "benchmark.inner_calls_max": 16,
    "benchmark.bootstrap_draws": 100,
    "benchmark.row_time_limit_s": 60,
    "correctness.row_time_limit_s": 60,
}
SMALL_CACHE_BYTES = (
    1 << 20
)  # catching needs no cold caches, and emptying them takes most of a trial
AXES = {
    "short": {"B": 1, "L": 126, "S": 126, "P": 3, "D": 512},
    # on a GPU work that is not joined is seen unfinished
    "long": {"B": 1, "L": 4096, "S": 1024, "P": 4, "D": 4096},
}
BACK_END = {"python": None, "triton": "triton", "c++": "cpu", "cuda": "cuda"}


@dataclass(frozen=True)
class Outcome:
    """How a case ended: PASSED, or the defence that spoke."""

    threat: Threat
    status: Status
    defence: str
    """the check or stage that ended it"""
    text: str
    seconds: float

    @property
    def as_it_should(self) -> bool:
        """Caught for one of the declared reasons; for a benign case, not caught."""
        expected = self.threat.statuses or {Status.PASSED}
        return self.status in expected

    def record(self) -> dict[str, Any]:
        """The outcome as plain data."""
        declared = self.threat.declared
        return {
            "kind": self.threat.kind,
            "name": self.threat.name,
            "language": self.threat.language,
            "family": declared.family,
            "does": declared.does,
            "status": self.status.value,
            "defence": self.defence,
            "text": str(without_machine_paths(self.text, ROOT))[:300],
            "good": self.as_it_should,
            "seconds": round(self.seconds, 2),
        }


class TrialJudge(RowJudge):
    """Judges a row by one process a side and without statistics, which catch nobody."""

    def _contenders(self) -> list[Contender]:
        return [Contender(name, rounding, 0) for name, rounding in self.sides]

    def _record(self, *_: Any) -> dict[str, Any]:  # noqa: ANN401 -- the parent's arguments, unread
        return {}


class Caught(Exception):
    """The first check that failed: nothing more need be asked."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.check)
        self.check = check


def write_side(threat: Threat, config: Config, device: Device, scratch: Path) -> Side:
    """Write the case's folder: the solution that plays it, with a build cache of its own."""
    write_folder(threat, scratch / "solution")
    language = BACK_END[threat.language] or device.type
    return Side(
        "solution",
        f"{scratch / 'solution' / 'build.py'}:load",
        language,
        config.solution.rounding.value,
        getattr(config.solution.flags, language, ()),
        str(scratch / "cache"),
    )


def run_trial(threat: Threat, config: Config, device: Device, side: Side) -> Outcome:
    """Judge one case, which the side plays."""
    started = time.monotonic()
    config = config.override({**POLICY, **threat.declared.set})
    device = dataclasses.replace(device, l2_bytes=SMALL_CACHE_BYTES)
    judged = _suite if threat.declared.judged_by == "suite" else _row
    status, defence, text = judged(threat, config, device, side)
    return Outcome(threat, status, defence, text, time.monotonic() - started)


def workload(op: Op, tolerance: Tolerance, size: str) -> Workload:
    """A row small enough to be judged in a blink."""
    layout, axes = list(op.layouts)[-1], {name: AXES[size][name] for name in op.axes_names}
    strides = {name: op.strides(name, layout, axes) for name in op.tensors}
    return Workload(
        "gauntlet", op, layout, axes, "bfloat16", 7, strides, tolerance, False, "made up", None
    )


def _row(threat: Threat, config: Config, device: Device, side: Side) -> tuple[Status, str, str]:
    rounding = config.solution.rounding
    each_step = Rounding.EACH_STEP
    baseline = Side("baseline", str(ROOT / config.baseline.entry))
    sides = {
        **({("baseline", each_step): baseline} if threat.declared.beside_baseline else {}),
        ("solution", rounding): side,
        # What a launch costs is a floor on a GPU alone.
        **{
            (name, each_step): _floor(name, device)
            for name in FLOORS[: 1 + (device.type == "cuda")]
        },
    }
    op, short = OPS[threat.declared.op], threat.declared.short or device.type == "cpu"
    row = workload(op, config.correctness.tolerance.bfloat16, "short" if short else "long")
    probe = MachineProbe(device)
    judge = TrialJudge(config, device, probe, sides, (rounding,), secrets.randbits(62))
    outcome = judge.judge(row)
    if outcome.failure is None:
        return Status.PASSED, "", ""
    failed = next((one for one in outcome.checks if not one.finding.passed), None)
    return outcome.failure.status, failed.check if failed else "start", outcome.failure.text


def _floor(name: str, device: Device) -> Side:
    entry = ROOT / "bench" / "floor" / f"entry.py:{name}"
    builds = str(build_folder(BUILDS, "floor"))
    return Side(name, str(entry), device.type, Rounding.EACH_STEP.value, (), builds)


def _suite(threat: Threat, config: Config, device: Device, side: Side) -> tuple[Status, str, str]:
    def emit(check: Check) -> None:
        if not check.finding.passed:
            raise Caught(check)

    policy, rounding = config.correctness, config.solution.rounding
    op, seed = OPS[threat.declared.op], secrets.randbits(62)
    sides, size = {"solution": side}, "short" if device.type == "cpu" else "long"
    with Session(device.torch_device, sides, policy.row_time_limit_s, seed) as session:
        checker = Checker(session, policy, rounding, ("solution",), emit, random.Random(seed))
        suite = Suite(checker, policy.guard_bytes, device, build_folder(BUILDS, "floor"), None)
        try:
            suite.run([op], [workload(op, policy.tolerance.bfloat16, size)], grid=True)
        except Caught as caught:
            finding = caught.check.finding
            return finding.status, caught.check.check, finding.text
    return Status.PASSED, "", ""
