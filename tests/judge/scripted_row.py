# SPDX-License-Identifier: Apache-2.0
"""A whole row judged in this process, on a quiet machine, by a script and a table of times."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.judge import row as row_module
from bench.judge.outcome import RowOutcome
from bench.judge.row import RowJudge
from bench.ops import OPS
from bench.record.machine import MachineProbe, MachineState
from bench.record.schema import Order
from bench.task.arithmetic import Rounding
from bench.task.config import load_config
from bench.task.device import resolve_device
from bench.task.side import Side
from bench.task.workload import load_workloads
from tests.judge.in_process import Script, session_class
from tests.small_run import GATE_ROW, SmallRun

Judge = Callable[..., RowOutcome]
POLICY = {
    "benchmark.trials": 5,
    "benchmark.trials_max.cpu": 5,
    "benchmark.window_us": 60,
    "benchmark.impossible_below.cpu": 0.5,
    "benchmark.bootstrap_draws": 100,
}


class QuietProbe(MachineProbe):
    """A machine on which nobody else works, whatever the tests run beside."""

    def read(self, own_pids: Collection[int] = ()) -> MachineState:
        return MachineState(0.0, 0.0, 2)


def scripted_judge(folder: Path, patch: pytest.MonkeyPatch, script: Script) -> Iterator[Judge]:
    """What judges a row by name; its Session follows the script."""
    run = SmallRun(folder)
    run.write()
    config = load_config(run.config_path).override(POLICY)
    rows = load_workloads(config.workloads_path, OPS, config.task.workloads_sha256).rows
    # A tiny last cache, so that the ring that outgrows it holds a few calls and not a thousand.
    device = dataclasses.replace(resolve_device("cpu"), l2_bytes=1024)
    patch.setattr(row_module, "Session", session_class(script))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # threads of a busy machine wait for each other at every operation
    each = Rounding.EACH_STEP
    names = ("baseline", "solution", "stream", "empty")
    sides = {(name, each): Side(name, "/nowhere.py:load") for name in names}

    def run_one(name: str = GATE_ROW, seed: int = 5, **override: Any) -> RowOutcome:
        mine = config.override({f"benchmark.{key}": value for key, value in override.items()})
        one = RowJudge(
            mine if override else config, device, QuietProbe(device), sides, [each], seed
        )
        return one.judge(next(row for row in rows if row.id == name))

    yield run_one
    torch.set_num_threads(threads)


def bench(outcome: RowOutcome) -> dict[str, Any]:
    assert outcome.failure is None, outcome.failure
    (record,) = (one for one in outcome.records if one["kind"] == "bench")
    return record


def trials(outcome: RowOutcome) -> list[dict[str, Any]]:
    (record,) = (one for one in outcome.records if one["kind"] == "trials")
    found: list[dict[str, Any]] = record["trials"]
    return found


def admissible(outcome: RowOutcome) -> None:
    """The results file takes the outcome's records in their order."""
    order = Order()
    order.admit({"kind": "run"})
    for record in [*(check.record() for check in outcome.checks), *outcome.records]:
        order.admit(record)
