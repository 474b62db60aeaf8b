# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Run the solution under NVIDIA's compute-sanitizer on points of the grid; minutes, on a GPU."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench.commandline import EXIT_CODES, add_selectors, prepare, run_command
from bench.completion import parse
from bench.correctness import Tally
from bench.judge.checker import Check
from bench.judge.verify import Finding
from bench.profiling.launch import CUDA_TOOLS, find_instrument
from bench.profiling.sanitizer import PROGRAM, TOOLS, asked, sanitize
from bench.profiling.trace import ProfileFailure
from bench.record.status import Status
from bench.run import Run
from bench.task.device import hold
from bench.task.errors import UserError
from bench.task.op import Op
from bench.task.side import Side


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/sanitize.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selectors(one)
    meaning = "; ".join(f"{tool}: {what}" for tool, what in TOOLS.items())
    one.add_argument(
        "--tool", choices=["all", *TOOLS], default="all", help=f"{meaning} (default: all)"
    )
    one.add_argument(
        "--step",
        type=int,
        default=8,
        metavar="COUNT",
        help="every so many points of the grid; 1 takes all (default: 8)",
    )
    one.add_argument(
        "--json", action="store_true", help="print one JSON object, lines on the error stream"
    )
    return one


def program_for(run: Run) -> str:
    """The sanitizer; UserError in one sentence where it cannot be used."""
    if run.device.type != "cuda":
        raise UserError(f"--device: {PROGRAM} needs a GPU, got {run.device.type}")
    found = find_instrument(PROGRAM)
    if found is None:
        raise UserError(
            f"{PROGRAM} is neither on PATH nor in {CUDA_TOOLS}; install it with the CUDA toolkit"
        )
    return found


def check_op(side: Side, op: Op, run: Run, step: int, program: str, tool: str) -> Finding:
    """What a tool says of a side's op."""
    points = asked(op, op.grid(run.device.sm_count)[::step])
    with tempfile.TemporaryDirectory(prefix="sanitize-") as folder:
        try:
            found = sanitize(side, points, run.device.torch_device, program, tool, Path(folder))
        except ProfileFailure as failure:
            return Finding(Status.NOT_RUN, str(failure))
    if found.missing:
        return Finding(Status.NOT_IMPLEMENTED, found.missing)
    if found.errors:
        return Finding(Status.INCORRECT, f"{found.errors} found; {'; '.join(found.words)}")
    return Finding(Status.PASSED, f"nothing in {len(points)} calls")


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare, run each tool on each op, count."""
    arguments = parse(parser(), argv)
    if arguments.rows not in ("all", "grid"):
        raise UserError(f"--rows: sanitize takes points of the grid, got {arguments.rows}")
    if arguments.step < 1:
        raise UserError(f"--step: expected at least 1, got {arguments.step}")
    console = Console(highlight=False, soft_wrap=True, stderr=arguments.json)
    run = prepare(arguments)
    program = program_for(run)
    tools = list(TOOLS) if arguments.tool == "all" else [arguments.tool]
    tally = Tally(console, None)
    with hold(run.device):
        console.print(f"{run.device.name}, {', '.join(tools)}", markup=False)
        for (name, rounding), side in run.sides().items():
            for op in run.ops if name == "solution" else ():
                for tool in tools:
                    finding = check_op(side, op, run, arguments.step, program, tool)
                    tally.add(Check(tool, op.name, name, rounding.value, finding))
    end = tally.close(run.seed)
    if arguments.json:
        print(json.dumps({**end, "failures": tally.failures}))
    return 0 if end["verdict"] == "PASS" else 1


if __name__ == "__main__":
    run_command(main)
