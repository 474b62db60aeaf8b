# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Profile both sides on the frozen rows: where a call's time and its memory traffic go."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.commandline import EXIT_CODES, add_selectors, prepare, run_command
from bench.completion import parse
from bench.profiling.launch import Subject, needed_instrument
from bench.profiling.levels import INSTRUMENTS, NCU_CALLS, profile
from bench.profiling.trace import ProfileFailure
from bench.record.results import ResultsFile
from bench.record.status import Status
from bench.run import Run
from bench.task.device import hold
from bench.task.errors import UserError
from bench.task.side import SIDES

LINES = 8  # of a table on the screen; the record has them all


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/profile.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selectors(one)
    add = one.add_argument
    add(
        "--level",
        type=int,
        choices=sorted(INSTRUMENTS),
        default=1,
        help="1: kernels and a trace file by torch.profiler; 2: timeline by Nsight Systems;"
        " 3: a row's counters and memory traffic by Nsight Compute (default: 1)",
    )
    add(
        "--side",
        choices=["both", *SIDES],
        default="both",
        help="whom to profile (default: both)",
    )
    add(
        "--calls",
        type=int,
        default=20,
        metavar="COUNT",
        help=f"cold calls of each row; Nsight Compute takes {NCU_CALLS} (default: 20)",
    )
    add(
        "--out",
        type=Path,
        default=Path("profile.jsonl"),
        metavar="FILE",
        help="where the records go, traces in a folder beside them (default: profile.jsonl)",
    )
    add("--json", action="store_true", help="print one JSON object, lines on the error stream")
    return one


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare, profile side by side and row by row, conclude."""
    arguments = parse(parser(), argv)
    if arguments.rows == "grid":
        raise UserError("--rows: the grid is for correctness; profile takes production or ids")
    if arguments.calls < 1:
        raise UserError(f"--calls: expected at least 1, got {arguments.calls}")
    console = Console(highlight=False, soft_wrap=True, stderr=arguments.json)
    run = prepare(arguments)
    instrument = INSTRUMENTS[arguments.level]
    if arguments.level > 1:
        needed_instrument(instrument, arguments.level, run.device)
    with hold(run.device), ResultsFile.create(arguments.out) as results:
        results.append(run.record("profile", instrument))
        console.print(f"{run.device.name}: {len(run.rows)} rows by {instrument}", markup=False)
        passed = _profile_sides(run, arguments, results, console)
        results.append({"kind": "end", "passed": passed})
        if arguments.json:
            found = [one for one in results.written if one["kind"] == "profile"]
            print(json.dumps({"file": str(arguments.out), "passed": passed, "profiles": found}))
    return 0 if passed else 1


def _profile_sides(
    run: Run, arguments: argparse.Namespace, results: ResultsFile, console: Console
) -> bool:
    """Profile each side; False when an instrument failed or found what cannot be."""
    passed = True
    level = arguments.level
    for (name, rounding), side in run.sides().items():
        if arguments.side not in ("both", name):
            continue
        head = {"side": name, "rounding": rounding.value, "level": level}
        folder = arguments.out.with_suffix("") / f"{name}-{rounding.value}"
        try:
            for fields in profile(
                Subject(side, run.rows, run.device), level, arguments.calls, folder
            ):
                results.append(
                    {"kind": "profile", **head, "instrument": INSTRUMENTS[level], **fields}
                )
                passed = passed and not fields.get("findings")
                for line in _lines(f"{name} {rounding.value}", fields):
                    console.print(line, markup=False)
        except ProfileFailure as failure:
            passed = False
            console.print(f"{name} {rounding.value}: {failure}", style="red", markup=False)
    return passed


def _lines(label: str, fields: Mapping[str, Any]) -> list[str]:
    """A record as people read it; tables have no heads, each number carries its unit."""
    if fields["status"] != Status.PASSED:
        return [f"{fields['workload']:38} {label:20} {fields['status']}"]
    if "category_us" in fields:
        split = [f"{us:12.1f} us  {name}" for name, us in fields["category_us"].items()]
        top = sorted(fields["entries"], key=lambda entry: -float(entry["total_us"]))[:LINES]
        return [label, *split, *(_entry_line(entry) for entry in top)]
    line = (
        f"{fields['workload']:38} {label:20} {fields['median_us']:10.2f} us"
        f" {fields['gigabytes_per_second']:8.1f} GB/s"
    )
    if "dram_bytes" in fields:
        line += f"  memory traffic {fields['traffic_ratio']:.3f} of the least"
    kernels = [_kernel_line(kernel) for kernel in fields["kernels"][:LINES]]
    return [line, *kernels, *(f"    FINDING: {one}" for one in fields.get("findings", []))]


def _entry_line(entry: Mapping[str, Any]) -> str:
    return f"  {entry['total_us']:12.1f} us {entry['count']:6}x  {entry['name'][:80]}"


def _kernel_line(kernel: Mapping[str, Any]) -> str:
    if "share" in kernel:
        return (
            f"  {kernel['share']:7.1%} {kernel['total_us']:12.1f} us {kernel['count']:6}x"
            f"  {kernel['name'][:80]}{_launch(kernel)}"
        )
    parts = [f"  {kernel['us']:10.2f} us"]
    for key, text in (("dram", "DRAM"), ("sm", "SM"), ("occupancy", "occupancy")):
        value = kernel[f"{key}_percent"]
        parts.append(f"{text} {'-' if value is None else f'{value:.1f} %'}")
    return "  ".join([*parts, kernel["name"][:60] + _launch(kernel)])


def _launch(kernel: Mapping[str, Any]) -> str:
    """Grid, block and registers, where the instrument told them."""
    text = "".join(f" {kernel[key]}" for key in ("grid", "block") if kernel[key])
    registers = kernel["registers"]
    return text if registers is None else f"{text} {registers:g} registers"


if __name__ == "__main__":
    run_command(main)
