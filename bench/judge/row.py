# SPDX-License-Identifier: Apache-2.0
"""Judges one frozen row: both sides checked, then timed in pairs, in processes of its own."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.judge.checker import Check, bounds_for
from bench.judge.sampler import Contender, RowFailure, Sampler, Samples, memory_budget
from bench.judge.session import Session
from bench.judge.verify import Finding
from bench.player.memory import OutOfMemory
from bench.record.status import Status
from bench.task.config import Config
from bench.task.device import Device
from bench.task.op import Rounding
from bench.task.side import Side
from bench.task.workload import Workload
from bench.timing.statistics import ratio, ratio_draws, spread

TIMER = {"cuda": "cuda_event", "cpu": "wall_clock"}


@dataclass(frozen=True)
class RowJudge:
    """What is the same for every row of a run."""

    config: Config
    device: Device
    sides: Mapping[tuple[str, Rounding], Side]
    roundings: Sequence[Rounding]
    seed: int
    """secret until the run is over: players never learn it"""

    def judge(self, row: Workload) -> RowOutcome:
        """Check and time one row; whatever goes wrong is in the outcome, never raised."""
        outcome = RowOutcome(row)
        started = time.monotonic()
        contenders = self._contenders(row)
        seats = {one.label: self._side(one) for one in contenders}
        policy = self.config.benchmark
        seed = (self.seed * 1_000_003 + row.seed) % (1 << 63)
        try:
            with Session(self.device.torch_device, seats, policy.row_time_limit_s, seed) as session:
                session.seat([one.label for one in contenders])
                self._time(row, self._sampler(row, session, seed), contenders, outcome)
        except RowFailure as failure:
            outcome.fail(failure.contender, failure.finding)
        except OutOfMemory as error:
            outcome.fail(contenders[0], Finding(Status.OUT_OF_MEMORY, str(error)))
        outcome.seconds = time.monotonic() - started
        return outcome

    def _time(
        self, row: Workload, sampler: Sampler, contenders: Sequence[Contender], outcome: RowOutcome
    ) -> None:
        plans: dict[str, str] = {}
        for one in contenders:
            finding, plan = sampler.check(one)
            plans[one.label] = plan
            if one.process == 0 or not finding.passed:
                where = {"layout": row.layout, "axes": dict(row.axes), "dtype": row.dtype}
                check = Check(
                    "production", row.op.name, one.side, one.rounding.value, finding, row.id, where
                )
                outcome.checks.append(check)
            if not finding.passed:
                raise RowFailure(one, finding)
        calls = sampler.calls_per_sample(contenders)
        samples = sampler.sample(contenders, calls)
        for rounding in self.roundings:
            outcome.records.append(self._record(row, rounding, samples, contenders, plans))

    def _record(
        self,
        row: Workload,
        rounding: Rounding,
        samples: Samples,
        contenders: Sequence[Contender],
        plans: Mapping[str, str],
    ) -> dict[str, Any]:
        mine = [one for one in contenders if one.side == "solution" and one.rounding is rounding]
        theirs = [one for one in contenders if one.side == "baseline"]
        call = regime_record(samples, theirs, mine, self.config, self.seed)
        call["timer"] = TIMER[self.device.type]
        return {
            **row_record(row, rounding, Status.PASSED),
            "plan": plans[mine[0].label],
            "regimes": {samples.regime: call},
        }

    def _contenders(self, row: Workload) -> list[Contender]:
        processes = getattr(self.config.benchmark.processes, self.device.type)
        each = [Contender("baseline", Rounding.EACH_STEP, i) for i in range(processes)]
        for rounding in self.roundings:
            each += [Contender("solution", rounding, i) for i in range(processes)]
        return each

    def _side(self, one: Contender) -> Side:
        if one.side == "baseline":
            return next(side for (name, _), side in self.sides.items() if name == "baseline")
        return self.sides["solution", one.rounding]

    def _sampler(self, row: Workload, session: Session, seed: int) -> Sampler:
        correctness = self.config.correctness
        return Sampler(
            session,
            row.op,
            row.layout,
            row.axes,
            row.dtype,
            {one: bounds_for(correctness, one, row.tolerance) for one in Rounding},
            self.config.benchmark,
            correctness.guard_bytes,
            memory_budget(self.device.torch_device, self.config.benchmark.memory_fraction),
            random.Random(seed),
        )


@dataclass
class RowOutcome:
    """Everything that one row gave: checks first, then a record a rounding or the failure."""

    row: Workload
    checks: list[Check] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    failure: Finding | None = None
    seconds: float = 0.0

    def fail(self, contender: Contender, finding: Finding) -> None:
        """Keep why the row has no result."""
        words = dataclasses.replace(finding, text=f"{contender.side}: {finding.text}")
        self.failure, self.records = words, []
        if all(check.finding.passed for check in self.checks) and self.checks:
            record = row_record(self.row, contender.rounding, finding.status)
            self.records = [{**record, "text": words.text}]


def row_record(row: Workload, rounding: Rounding, status: Status) -> dict[str, Any]:
    """The part of a bench record that says which row it is about."""
    return {
        "kind": "bench",
        "workload": row.id,
        "op": row.op.name,
        "rounding": rounding.value,
        "status": status.value,
        "layout": row.layout,
        "axes": dict(row.axes),
        "dtype": row.dtype,
        "production": row.production,
        "calls": row.calls,
        "bytes_read": row.op.bytes_read(row.layout, row.axes, row.dtype),
        "bytes_written": row.op.bytes_written(row.layout, row.axes, row.dtype),
    }


def regime_record(
    samples: Samples,
    theirs: Sequence[Contender],
    mine: Sequence[Contender],
    config: Config,
    seed: int,
) -> dict[str, Any]:
    """Raw samples of both sides, their spread, and the speedup with its interval."""
    policy = config.benchmark
    baseline = np.array([samples.us[one.label] for one in theirs])
    solution = np.array([samples.us[one.label] for one in mine])
    draws = ratio_draws(baseline, solution, policy.bootstrap_draws, seed % (1 << 32))
    speedup = ratio(baseline, solution, draws, policy.confidence)
    return {
        "calls_per_sample": samples.calls,
        "order": samples.order,
        "seed": seed % (1 << 32),
        "baseline": {"us": baseline.tolist(), **dataclasses.asdict(spread(baseline))},
        "solution": {"us": solution.tolist(), **dataclasses.asdict(spread(solution))},
        "speedup": dataclasses.asdict(speedup),
    }
