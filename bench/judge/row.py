# SPDX-License-Identifier: Apache-2.0
"""Judges one frozen row: both sides checked, then timed in pairs, in processes of its own."""

from __future__ import annotations

import dataclasses
import os
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.judge.analysis import Analysis
from bench.judge.checker import bounds_for
from bench.judge.compare import ANY_ULPS, Bounds
from bench.judge.contenders import FLOORS, REGIMES, Contender, RowFailure, Samples
from bench.judge.floors import Floors, fastest_cpu_us
from bench.judge.memory_budget import memory_budget
from bench.judge.outcome import RowOutcome, row_check
from bench.judge.reply import PlayerFailure
from bench.judge.sampler import Sampler
from bench.judge.session import Session
from bench.judge.turns import Turns
from bench.judge.verify import Finding
from bench.player.memory import OutOfMemory
from bench.record.machine import MachineProbe
from bench.record.status import Status
from bench.task.arithmetic import Rounding
from bench.task.config import Config
from bench.task.device import Device
from bench.task.side import SIDES, Side
from bench.task.workload import Workload
from bench.timing.calling_core import CallingCore
from bench.timing.clocks import TIMER


@dataclass(frozen=True)
class RowJudge:
    """What is the same for every row of a run."""

    config: Config
    device: Device
    probe: MachineProbe
    sides: Mapping[tuple[str, Rounding], Side]
    """baseline and solutions, floors and rivals; what takes part is what stands here"""
    roundings: Sequence[Rounding]
    seed: int
    """secret until the run is over: players never learn it"""

    def judge(self, row: Workload) -> RowOutcome:
        """Check and time one row; whatever goes wrong is in the outcome, never raised."""
        outcome = RowOutcome(row)
        started = time.monotonic()
        contenders = self._contenders()
        seats = {one.label: self.sides[one.side, one.rounding] for one in contenders}
        limit_s = self.config.benchmark.row_time_limit_s
        seed = row.secret_seed(self.seed)
        try:
            device, images = (
                self.device.torch_device,
                {one.label: one.process for one in contenders},
            )
            with Session(device, seats, limit_s, seed, whole=True, images=images) as session:
                session.seat([one.label for one in contenders])
                self._time(row, self._sampler(row, session, seed), contenders, outcome)
        except RowFailure as failure:
            outcome.fail(failure.contender, failure.finding)
        except PlayerFailure as failure:
            outcome.fail(contenders[0], Finding(failure.status, str(failure)))
        except OutOfMemory as error:
            outcome.fail(contenders[0], Finding(Status.OUT_OF_MEMORY, str(error)))
        outcome.seconds = time.monotonic() - started
        return outcome

    def _time(
        self, row: Workload, sampler: Sampler, contenders: Sequence[Contender], outcome: RowOutcome
    ) -> None:
        plans: dict[str, str] = {}
        able: list[Contender] = []
        for one, finding, plan in sampler.check(contenders):
            plans[one.label] = plan
            rival = one.side not in (*SIDES, *FLOORS)
            if rival and not finding.passed:
                outcome.rivals[one.side] = finding
                sampler.session.leave(one.label)
                continue
            able.append(one)
            if one.side in SIDES and (one.process == 0 or not finding.passed):
                outcome.checks.append(row_check(row, one, finding))
            if not finding.passed:
                raise RowFailure(one, finding)
        samples = sampler.sample(able, sampler.size(able))
        trials = [dataclasses.asdict(trial) for trial in samples.trials]
        outcome.records.append({"kind": "trials", "workload": row.id, "trials": trials})
        for rounding in self.roundings:
            outcome.records.append(self._record(row, rounding, samples, able, plans))
        for record in outcome.records[1:]:
            record["rivals_absent"] = {
                side: f"{one.status}: {one.text}" for side, one in outcome.rivals.items()
            }

    def _record(
        self,
        row: Workload,
        rounding: Rounding,
        samples: Samples,
        contenders: Sequence[Contender],
        plans: Mapping[str, str],
    ) -> dict[str, Any]:
        analysis = Analysis.of(self.config, self.seed, self.device.type, self.device.name)
        return {
            **analysis.record(row, rounding, samples, contenders),
            "timer": TIMER[self.device.type],
            "plan": plans[Contender("solution", rounding, 0).label],
        }

    def _contenders(self) -> list[Contender]:
        """As many processes of each side as the policy says; one of each floor and rival."""
        processes = getattr(self.config.benchmark.processes, self.device.type)
        return [
            Contender(name, rounding, process)
            for name, rounding in self.sides
            for process in range(processes if name in SIDES else 1)
        ]

    def _bounds(self, row: Workload, one: Contender) -> Bounds:
        if one.side in SIDES:
            return bounds_for(self.config.correctness, row.op, one.rounding, row.tolerance)
        return Bounds(row.tolerance.atol, row.tolerance.rtol, ANY_ULPS)

    def _calling_core(self) -> CallingCore | None:
        """On a CPU a call runs on every core."""
        if self.device.type == "cpu":
            return None
        cores = sorted(os.sched_getaffinity(0))
        return CallingCore(cores, self.config.benchmark.slowdown_max)

    def _sampler(self, row: Workload, session: Session, seed: int) -> Sampler:
        policy, device = self.config.benchmark, self.device
        chance = random.Random(seed)
        bounds = partial(self._bounds, row)
        fastest = fastest_cpu_us(row.bytes_moved, device.sm_count) if device.type == "cpu" else 0.0
        return Sampler(
            session,
            row.op,
            row.layout,
            row.axes,
            row.dtype,
            Turns(session, policy, bounds, device.l2_bytes, self._calling_core()),
            policy,
            self.config.correctness.guard_bytes,
            memory_budget(device.torch_device, policy.memory_fraction),
            device.l2_bytes,
            chance,
            self.probe,
            REGIMES[device.type],
            Floors(getattr(policy.impossible_below, device.type), fastest),
        )
