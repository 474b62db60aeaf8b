# SPDX-License-Identifier: Apache-2.0
"""What a row's samples say: spread, speedup, null control, attainable fraction, verdict. Pure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.judge.contenders import REGIMES, Contender, Samples
from bench.record.status import Status
from bench.task.arithmetic import Rounding
from bench.task.config import Benchmark, Config
from bench.task.side import SIDES
from bench.task.workload import Workload
from bench.timing.statistics import Array, Interval, ratio, ratio_draws, spread, verdict


@dataclass(frozen=True)
class Analysis:
    """One row in one regime; `draws` seed and number come from the run, so a reader can redo it."""

    policy: Benchmark
    seed: int
    device: str
    """cpu or cuda"""
    datasheet_gbps: float | None

    @staticmethod
    def of(config: Config, run_seed: int, device_type: str, device_name: str) -> Analysis:
        """What a run on a device with that configuration and secret seed makes of its samples."""
        gbps = config.datasheet_gbps.get(device_name)
        return Analysis(config.benchmark, run_seed % (1 << 32), device_type, gbps)

    def record(
        self,
        row: Workload,
        rounding: Rounding,
        samples: Samples,
        contenders: Sequence[Contender],
    ) -> dict[str, Any]:
        """A bench record, but for what only the run knows: its timer and the launch plan."""
        mine = [one for one in contenders if one.side == "solution" and one.rounding is rounding]
        theirs = [one for one in contenders if one.side == "baseline"]
        others = [one for one in contenders if one.side not in SIDES]
        record = {
            "kind": "bench",
            "workload": row.id,
            "op": row.op.name,
            "rounding": rounding.value,
            "status": Status.PASSED.value,
            "layout": row.layout,
            "axes": dict(row.axes),
            "dtype": row.dtype,
            "production": row.production,
            "calls": row.calls,
            "bytes_read": row.op.bytes_read(row.layout, row.axes, row.dtype),
            "bytes_written": row.op.bytes_written(row.layout, row.axes, row.dtype),
            "regimes": {
                regime.name: self.regime(samples, regime.name, theirs, mine, others)
                for regime in REGIMES[self.device]
            },
            "trials": len(samples.trials),
            "marked_trials": sum(bool(trial.marks) for trial in samples.counted),
            "draws_seed": self.seed,
        }
        return {**record, "roofline": _roofline(record, self.datasheet_gbps)}

    def regime(
        self,
        samples: Samples,
        name: str,
        baseline: Sequence[Contender],
        solution: Sequence[Contender],
        others: Sequence[Contender],
    ) -> dict[str, Any]:
        """The regime's part of a bench record: raw samples and everything derived from them."""
        theirs, mine = samples.of(name, baseline), samples.of(name, solution)
        control = {"baseline": self._halves(theirs), "solution": self._halves(mine)}
        noise = math.exp(max(abs(math.log(one.value)) for one in control.values())) - 1
        speedup = self._ratio(theirs, mine)
        word, reason = self.verdict(speedup, noise)
        return {
            "calls_per_sample": samples.calls,
            "baseline": _side(theirs),
            "solution": _side(mine),
            "others": {one.side: _side(samples.of(name, [one])) for one in others},
            "speedup": dataclasses.asdict(speedup),
            "control": {side: dataclasses.asdict(one) for side, one in control.items()},
            "noise": noise,
            "verdict": word,
            "reason": reason,
        }

    def verdict(self, speedup: Interval, noise: float) -> tuple[str, str]:
        """FAST, SLOW, SAME or AMBIGUOUS, with the reason; inside the noise floor it is SAME."""
        return verdict(speedup, noise, self.policy.same_within)

    def _ratio(self, baseline: Array, solution: Array) -> Interval:
        draws = ratio_draws(baseline, solution, self.policy.bootstrap_draws, self.seed)
        return ratio(baseline, solution, draws, self.policy.confidence)

    def _halves(self, samples: Array) -> Interval:
        """The null control: one half of a side's processes against the other half."""
        middle = len(samples) // 2
        if middle == 0:
            raise ValueError("null control: expected at least 2 processes a side, got 1")
        return self._ratio(samples[:middle], samples[middle:])


def _roofline(record: dict[str, Any], datasheet_gbps: float | None) -> dict[str, Any]:
    """How near a row's cold time is to what the machine can do, and what bounds it.

    `attainable_fraction` is the streaming floor's time over the solution's.
    """
    moved = record["bytes_read"] + record["bytes_written"]
    regimes = record["regimes"]
    cold = regimes["cold"]
    solution_us, floor_us = cold["solution"]["median_us"], cold["others"]["stream"]["median_us"]
    gbps = moved / solution_us / 1e3
    call = regimes.get("call", cold)
    call_us, empty_us = call["solution"]["median_us"], call["others"]["empty"]["median_us"]
    if call_us < 1.5 * empty_us:
        bound = "launch"
    elif moved / floor_us / 1e3 > 0.6 * (datasheet_gbps or 0) and datasheet_gbps:
        bound = "bandwidth"
    else:
        bound = "latency" if datasheet_gbps else "bandwidth"
    return {
        "cold_gbps": gbps,
        "attainable_fraction": floor_us / solution_us,
        "datasheet_fraction": gbps / datasheet_gbps if datasheet_gbps else None,
        "over_empty_call": call_us / empty_us,
        "bound": bound,
    }


def _side(samples: Array) -> dict[str, Any]:
    return {"us": samples.tolist(), **dataclasses.asdict(spread(samples))}
