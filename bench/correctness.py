# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Check both sides against the oracle, the contract and each other."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import contextlib
import dataclasses
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from bench.commandline import EXIT_CODES, add_selectors, prepare, run_command
from bench.completion import parse
from bench.judge.build import build_folder
from bench.judge.checker import Check, Checker
from bench.judge.library_calls import check_library_calls
from bench.judge.session import Session
from bench.judge.suite import Suite
from bench.record.results import ResultsFile
from bench.run import Run
from bench.task.device import hold
from bench.task.side import SIDES
from bench.timing.clocks import TIMER


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/correctness.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selectors(one)
    one.add_argument(
        "--side", choices=["both", *SIDES], default="both", help="whom to check (default: both)"
    )
    one.add_argument("--quick", action="store_true", help="every eighth point of the grid")
    one.add_argument("--report", type=Path, metavar="FILE", help="write every check as a record")
    one.add_argument(
        "--json", action="store_true", help="print one JSON object, lines on the error stream"
    )
    return one


class Tally:
    """Prints failures as they come and counts everything."""

    def __init__(self, console: Console, results: ResultsFile | None) -> None:
        self.counts: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.failures: list[dict[str, Any]] = []
        self._console = console
        self._results = results

    def add(self, check: Check) -> None:
        """Take one check."""
        self.counts[check.check] += 1
        if check.finding.passed:
            self.passed[check.check] += 1
        else:
            self.failures.append(check.record())
            where = " ".join(f"{key}={value}" for key, value in check.where.items())
            self._console.print(
                f"{check.finding.status} {check.check} {check.workload or check.op} {check.side}"
                f" {check.rounding} {where}: {check.finding.text}",
                style="red",
                markup=False,
            )
        if self._results is not None:
            self._results.append(check.record())

    def close(self, seed: int) -> dict[str, Any]:
        """Print the count of each kind and the verdict; what the results end with."""
        for kind, count in self.counts.items():
            self._console.print(f"  {kind:18} {self.passed[kind]}/{count}", markup=False)
        good, total = sum(self.passed.values()), sum(self.counts.values())
        verdict = "PASS" if good == total and total else "FAIL"
        end = {
            "checks": dict(self.counts),
            "passed": dict(self.passed),
            "verdict": verdict,
            "seed": seed,
        }
        if self._results is not None:
            self._results.append({"kind": "end", **end})
        self._console.print(f"{good}/{total} {verdict}", markup=False)
        return end


def check_run(run: Run, arguments: argparse.Namespace, tally: Tally) -> None:
    """All checks of a run, one session a rounding."""
    policy = run.config.correctness
    sides = _sides(arguments)
    rows = [dataclasses.replace(row, seed=row.secret_seed(run.seed)) for row in run.rows]
    for rounding in run.roundings:
        seats = {
            name: side
            for (name, one), side in run.sides().items()
            if name == "baseline" or one is rounding
        }
        device = run.device.torch_device
        with Session(device, seats, policy.row_time_limit_s, run.seed) as session:
            checker = Checker(session, policy, rounding, sides, tally.add, random.Random(run.seed))
            suite = Suite(
                checker,
                policy.guard_bytes,
                run.device,
                build_folder(run.cache, "floor"),
                _other(run),
                arguments.quick,
            )
            loaded = suite.run(run.ops, rows, grid=_grid(arguments))
        launched = [row for row in rows if row.op in loaded]
        if "solution" in sides and run.device.type == "cuda" and launched:
            side = run.sides()["solution", rounding]
            check_library_calls(tally.add, side, launched, run.device, policy.library_calls)


def _sides(arguments: argparse.Namespace) -> tuple[str, ...]:
    return SIDES if arguments.side == "both" else (arguments.side,)


def _grid(arguments: argparse.Namespace) -> bool:
    return arguments.rows in ("all", "grid")


def _other(run: Run) -> str | None:
    """Another GPU, for tensors that lie on the wrong one."""
    if run.device.type != "cuda" or torch.cuda.device_count() < 2:
        return None
    return f"cuda:{1 - min(run.device.index or 0, 1)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare, check, count."""
    arguments = parse(parser(), argv)
    # A line of a log stays one line.
    console = Console(highlight=False, soft_wrap=True, stderr=arguments.json)
    run = prepare(arguments)
    started = time.monotonic()
    with hold(run.device), contextlib.ExitStack() as stack:
        results = None
        if arguments.report:
            results = stack.enter_context(ResultsFile.create(arguments.report))
            asked = {"sides": _sides(arguments), "grid": _grid(arguments), "quick": arguments.quick}
            results.append({**run.record("correctness", TIMER[run.device.type]), **asked})
        console.print(f"{run.device.name}, {', '.join(one.value for one in run.roundings)}")
        tally = Tally(console, results)
        check_run(run, arguments, tally)
        if run.device.type == "cpu":
            console.print("census: none, a CPU launches no kernels")
        console.print(f"{time.monotonic() - started:.1f} s")
        end = tally.close(run.seed)
    if arguments.json:
        print(json.dumps({**end, "failures": tally.failures}))
    return 0 if end["verdict"] == "PASS" else 1


if __name__ == "__main__":
    run_command(main)
