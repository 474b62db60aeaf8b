# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Run cheaters, planted bugs and honest look-alikes through the judge; count what it caught."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from bench.commandline import run_command
from bench.completion import parse
from bench.judge.build import build_all
from bench.ops import OPS
from bench.task.checkout import ROOT
from bench.task.config import Config, load_config
from bench.task.device import Device, hold, make_current, resolve_device
from bench.threats.case import KINDS, Threat, choose, find_threats
from bench.threats.table import counts, verdict, write_table
from bench.threats.trial import Outcome, run_trial, write_side

EXIT_CODES = """exit codes:
  0  every case ended as it should, or the table is written
  1  a cheater or a mutant got through, or an honest case did not
  2  the request cannot be carried out"""
DOCUMENT = ROOT / "docs" / "threat_model.md"


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/gauntlet.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add("--device", metavar="DEVICE", help="cpu, cuda or cuda:N (default: cuda:0, else cpu)")
    add("--kind", choices=KINDS, help="only these (default: all three)")
    add("--only", metavar="NAMES", help="only these cases, with commas between")
    add("--report", type=Path, metavar="FILE", help="write every outcome as a line of JSON")
    add("--json", action="store_true", help="print one JSON object, lines on the error stream")
    add(
        "--table",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="run nothing: write docs/threat_model.md's table from these reports",
    )
    return one


def main(argv: Sequence[str] | None = None) -> int:
    """Choose, judge one by one, count."""
    arguments = parse(parser(), argv)
    console = Console(highlight=False, stderr=arguments.json)
    if arguments.table:
        write_table(DOCUMENT, arguments.table)
        return 0
    config = load_config(ROOT / "config.toml")
    device = resolve_device(arguments.device)
    make_current(device)
    threats = choose(
        find_threats((arguments.kind,) if arguments.kind else KINDS), device.type, arguments.only
    )
    started = time.monotonic()
    outcomes: list[Outcome] = []
    with hold(device):
        for outcome in _outcomes(threats, config, device):
            outcomes.append(outcome)
            console.print(_line(outcome), markup=False, soft_wrap=True)
            if arguments.report:
                _append(arguments.report, outcome, device.name, first=len(outcomes) == 1)
    records = [one.record() for one in outcomes]
    for line in counts(records):
        console.print(line, markup=False)
    console.print(f"{device.name}, {time.monotonic() - started:.0f} s", markup=False)
    if arguments.json:
        print(json.dumps({"device": device.name, "good": verdict(records), "outcomes": records}))
    return 0 if verdict(records) else 1


def _outcomes(threats: Sequence[Threat], config: Config, device: Device) -> Iterator[Outcome]:
    """Everything built first; timed cases one by one, those that are only checked two at a time."""
    timed = [one for one in threats if one.declared.judged_by == "row"]
    checked = [one for one in threats if one not in timed]
    with tempfile.TemporaryDirectory(prefix="gauntlet-") as scratch:
        sides = {
            one.name: write_side(one, config, device, Path(scratch) / one.name) for one in threats
        }
        for op in OPS.values():
            native = (one for one in threats if one.path.suffix != ".py")
            mine = [sides[one.name] for one in native if one.declared.op == op.name]
            build_all(mine, [op], device, config)

        def run(one: Threat) -> Outcome:
            return run_trial(one, config, device, sides[one.name])

        yield from map(run, timed)
        with ThreadPoolExecutor(2) as pool:
            yield from pool.map(run, checked)


def _line(outcome: Outcome) -> str:
    mark = "ok  " if outcome.as_it_should else "FAIL"
    how = f"{outcome.status} {outcome.defence}".strip()
    text = "" if outcome.as_it_should else f": {outcome.text[:400]}"
    name = f"{outcome.threat.kind}/{outcome.threat.name}"
    return f"{mark} {name:44} {outcome.seconds:5.1f} s  {how}{text}"


def _append(path: Path, outcome: Outcome, device: str, *, first: bool) -> None:
    with path.open("w" if first else "a", encoding="utf-8") as file:
        file.write(json.dumps({"device": device, **outcome.record()}) + "\n")


if __name__ == "__main__":
    run_command(main)
