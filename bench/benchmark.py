# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Time the solution against the baseline on the frozen rows, every timed output checked."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.commandline import EXIT_CODES, add_selectors, prepare, run_command
from bench.completion import parse
from bench.conclusion import conclude, headline_regime, missing
from bench.judge.build import build_all
from bench.judge.forks import fork_server
from bench.judge.outcome import RowOutcome
from bench.judge.row import RowJudge
from bench.profiling.cross_check import cross_check_line, cross_check_records
from bench.profiling.times import kernel_times
from bench.profiling.unguarded import unguarded_lines, unguarded_records
from bench.record.lines import row_line, summary
from bench.record.results import ResultsFile
from bench.run import Run
from bench.task.device import hold
from bench.task.errors import UserError
from bench.timing.clocks import TIMER


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/benchmark.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selectors(one)
    one.add_argument(
        "--out",
        type=Path,
        default=Path("results.jsonl"),
        metavar="FILE",
        help="where the records go (default: results.jsonl); an earlier file is kept",
    )
    one.add_argument("--resume", action="store_true", help="go on with an unfinished --out")
    one.add_argument(
        "--cross-check",
        action="store_true",
        help="also time each row by torch.profiler and, where present, Nsight Compute, and print"
        " the three side by side",
    )
    one.add_argument(
        "--rivals",
        action="store_true",
        help="also time torch.addcmul, torch.compile and a Triton solution, each in a process of"
        " its own; reported, never the headline",
    )
    one.add_argument(
        "--json", action="store_true", help="print one JSON object, lines on the error stream"
    )
    return one


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare, build, judge row by row, conclude."""
    arguments = parse(parser(), argv)
    if arguments.rows == "grid":
        raise UserError("--rows: the grid is for correctness; benchmark takes production or ids")
    console = Console(highlight=False, soft_wrap=True, stderr=arguments.json)
    run = prepare(arguments)
    with hold(run.device), _open(arguments, run) as results:
        sides = run.sides() | run.references(arguments.rivals)
        judge = RowJudge(run.config, run.device, run.probe, sides, run.roundings, run.seed)
        console.print(
            f"{run.device.name}: {len(run.rows)} rows, headline by {headline_regime(run)}"
        )
        for image in range(getattr(run.config.benchmark.processes, run.device.type)):
            fork_server(image)  # it imports torch while the sides are built
        build_all(sides.values(), run.ops, run.device, run.config)
        try:
            complete = _judge_rows(run, judge, results, console)
        except KeyboardInterrupt:
            console.print(
                f"stopped; every finished row is in {arguments.out}; go on with:"
                f" python bench/benchmark.py --resume --out {arguments.out}",
                markup=False,
            )
            return 130
        if arguments.cross_check:
            _cross_check(run, results, console)
        code = conclude(run, results, console, complete)
        if arguments.json:
            print(json.dumps({"file": str(arguments.out), **summary(results.written)}))
        return code


def _open(arguments: argparse.Namespace, run: Run) -> ResultsFile:
    record = run.record("benchmark", TIMER[run.device.type])
    if not arguments.resume:
        results = ResultsFile.create(arguments.out)
        results.append(record)
        return results
    results = ResultsFile.resume(arguments.out)
    before = results.records[0]
    other = [key for key in ("config", "rows", "roundings") if before.get(key) != record[key]]
    trees = ("tree_sha256", "file_sha256")
    other += [key for key in trees if _part(before, key) != _part(record, key)]
    if other:
        results.close()
        raise UserError(f"{arguments.out}: began with another {other[0]}; start a new file")
    results.append({"kind": "resume", "provenance": record["provenance"]})
    return results


def _part(record: Mapping[str, Any], key: str) -> object:
    return record["provenance"][key]


def _judge_rows(run: Run, judge: RowJudge, results: ResultsFile, console: Console) -> bool:
    """Judge the rows that have no record yet; whether every one passed."""
    done = {row.id for row in run.rows if not missing(run, results.records, row.id)}
    passed = True
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("rows", total=len(run.rows))
        for row in run.rows:
            progress.update(task, description=row.id)
            if row.id not in done:
                outcome = judge.judge(row)
                _keep(outcome, results)
                passed = passed and outcome.failure is None
                for line in _lines(outcome, headline_regime(run)):
                    progress.console.print(line, markup=False)
            progress.advance(task)
    return passed


def _keep(outcome: RowOutcome, results: ResultsFile) -> None:
    for check in outcome.checks:
        results.append(check.record())
    for record in outcome.records:
        results.append({**record, "seconds": outcome.seconds})


def _lines(outcome: RowOutcome, regime: str) -> list[str]:
    if outcome.failure is not None:
        return [f"{outcome.row.id:38} {outcome.failure.status}: {outcome.failure.text}"]
    return [row_line(record, regime) for record in outcome.records[1:]]


def _cross_check(run: Run, results: ResultsFile, console: Console) -> None:
    """Ask two other instruments, and the harness's own clock unguarded, in other processes."""
    times = kernel_times(run.rows, run.sides().values(), run.device)
    for record in cross_check_records(results.written, times):
        results.append(record)
        console.print(cross_check_line(record), markup=False)
    unguarded = unguarded_records(results.written, run.rows, run.sides().values(), run.device)
    for record in unguarded:
        results.append(record)
    for line in unguarded_lines(unguarded):
        console.print(line, markup=False)


if __name__ == "__main__":
    run_command(main)
