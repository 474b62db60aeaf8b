# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Compare two runs row by row: is B faster than A, and is that more than noise?

A and B are results files of the benchmark, or two solution folders. Folders are benchmarked here
first, A then B, with the same settings.

Two things are compared, each with an interval, because the trials of two files are not paired: the
speedups, each over the eager of its own file, and the times as they are. The verdict is of the
speedups: FAST where B is faster, SLOW, SAME, AMBIGUOUS.
"""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import dataclasses
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.commandline import run_command
from bench.completion import parse
from bench.record.results import read_results
from bench.record.tables import Record, bench_records, headline_regime_name, understood
from bench.reports.alike import DIFFERENCES, differences, regimes
from bench.reports.comparison import (
    compare,
    comparison_section,
    slower_than,
)
from bench.reports.console import show, terminal
from bench.task.checkout import ROOT
from bench.task.errors import UserError, suggest

EXIT_CODES = """exit codes:
  0  compared
  1  --fail-if-slower: a row or a mean is slower, or B lacks a row; or a benchmark failed
  2  the two cannot be compared, or a file cannot be read"""


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/compare.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add("a", type=Path, metavar="A", help="what to compare with")
    add("b", type=Path, metavar="B", help="what to judge")
    add(
        "--benchmark",
        metavar="FLAGS",
        help="for two folders, flags of bench/benchmark.py: --benchmark='--rows production'",
    )
    add(
        "--allow",
        default="",
        metavar="WHAT",
        help=f"let the two differ in these, with commas between: {', '.join(DIFFERENCES)};"
        " every line then says so",
    )
    add("--regime", metavar="REGIME", help="this regime, or all (default: the headline's)")
    add(
        "--fail-if-slower",
        type=float,
        metavar="PERCENT",
        help="exit 1 where B's whole interval is slower than A by more than this",
    )
    add(
        "--out",
        type=Path,
        default=Path("comparison"),
        metavar="FOLDER",
        help="where results of two folders go, a.jsonl and b.jsonl (default: comparison/)",
    )
    add("--json", action="store_true", help="print one JSON object, not tables")
    return one


def main(argv: Sequence[str] | None = None) -> int:
    """Read or measure both, compare, judge."""
    arguments = parse(parser(), argv)
    allow = [name for name in arguments.allow.split(",") if name]
    for name in allow:
        if name not in DIFFERENCES:
            raise UserError(f"--allow: unknown {name}; {suggest(name, DIFFERENCES)}")
    if (arguments.fail_if_slower or 0) < 0:
        raise UserError(f"--fail-if-slower: expected 0 or more, got {arguments.fail_if_slower:g}")
    a, b = (_read(path) for path in _files(arguments))
    with understood(f"{arguments.a} and {arguments.b}"):
        allowed = differences(a, b, allow)
        found = compare(a, b, allowed, _regime(arguments.regime, a, b))
    if arguments.json:
        print(json.dumps(dataclasses.asdict(found), indent=2))
    else:
        show(terminal(), f"A {arguments.a}, B {arguments.b}", comparison_section(found))
    if arguments.fail_if_slower is None:
        return 0
    slower = slower_than(found, arguments.fail_if_slower)
    for name in (*slower, *(f"{one}: missing" for one in found.missing)):
        print(f"slower by more than {arguments.fail_if_slower:g} %: {name}", file=sys.stderr)
    return 1 if slower or found.missing else 0


def _files(arguments: argparse.Namespace) -> list[Path]:
    """The two results files, measured first where A and B are folders."""
    places = [arguments.a, arguments.b]
    folders = [place.is_dir() for place in places]
    if not any(folders):
        if arguments.benchmark:
            raise UserError("--benchmark: expected with two folders, got two files; leave it out")
        return places
    if not all(folders):
        raise UserError(f"compare: expected two files or two folders, got {places[0]}, {places[1]}")
    try:
        flags = shlex.split(arguments.benchmark or "")
    except ValueError as error:
        raise UserError(f"--benchmark: expected flags as in a shell, got: {error}") from None
    outs = [arguments.out / name for name in ("a.jsonl", "b.jsonl")]
    for place, out in zip(places, outs, strict=True):
        command = [sys.executable, str(ROOT / "bench" / "benchmark.py"), "--solution", str(place)]
        command += ["--out", str(out), *flags]
        done = subprocess.run(command, stdout=sys.stderr, check=False)
        if done.returncode:
            sys.exit(done.returncode)
    return outs


def _read(path: Path) -> list[Record]:
    records: list[Record] = list(read_results(path))
    if not any(record.get("regimes") for record in bench_records(records)):
        raise UserError(f"{path}: expected results of bench/benchmark.py, got none in it")
    return records


def _regime(chosen: str | None, a: Sequence[Record], b: Sequence[Record]) -> str | None:
    """The regime to compare in, None for all that both have."""
    known = [one for one in regimes(a) if one in regimes(b)]
    if chosen is None:
        headline = headline_regime_name(bench_records(a)[0])
        return headline if headline in known else None
    if chosen not in (*known, "all"):
        raise UserError(f"--regime: unknown {chosen}; {suggest(chosen, [*known, 'all'])}")
    return None if chosen == "all" else chosen


if __name__ == "__main__":
    run_command(main)
