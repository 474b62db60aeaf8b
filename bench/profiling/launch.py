# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.profiling import ncu, nsys
from bench.profiling.request import CLOCK, OUTSIDE, TORCH, Request, ask
from bench.profiling.trace import ProfileFailure
from bench.record.toolchain import find_tool
from bench.task.checkout import ROOT, module_path
from bench.task.device import Device
from bench.task.errors import UserError
from bench.task.side import Side
from bench.task.workload import Workload

CUDA_TOOLS = "/usr/local/cuda/bin"
TIME_LIMIT_S = 900


@dataclass(frozen=True)
class Subject:
    """One side on some rows of one device: what an instrument is held to."""

    side: Side
    rows: tuple[Workload, ...]
    device: Device

    def request(self, calls: int, recorder: str, folder: Path) -> Request:
        """The same as the target process is told it."""
        cores = self.device.sm_count if self.device.type == "cpu" else 1
        rows = ask(self.rows, self.device.l2_bytes)
        folder.mkdir(parents=True, exist_ok=True)
        return Request(
            self.device.torch_device, cores, self.side, rows, calls, recorder, str(folder.resolve())
        )


def find_instrument(name: str) -> str | None:
    """A profiler on PATH or in the CUDA toolkit's usual place."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), CUDA_TOOLS])
    return find_tool(name, {**os.environ, "PATH": path})


def needed_instrument(name: str, level: int, device: Device) -> str:
    """The profiler that a level stands on; UserError in one sentence where it cannot be used."""
    product = {"ncu": "Nsight Compute", "nsys": "Nsight Systems"}[name]
    if device.type != "cuda":
        raise UserError(f"--level {level}: {product} needs a GPU, got {device.type}; use --level 1")
    found = find_instrument(name)
    if found is None:
        raise UserError(
            f"--level {level}: {name} is neither on PATH nor in {CUDA_TOOLS}; install {product} "
            "or use --level 1"
        )
    return found


def torch_traces(subject: Subject, calls: int, folder: Path) -> dict[str, Mapping[str, Any]]:
    """Row -> chrome trace, for the rows that the side implements."""
    request = subject.request(calls, TORCH, folder)
    rows = _run(request, [])
    return {row: json.loads(request.trace(row).read_text()) for row in rows}


def ncu_kernels(
    subject: Subject, calls: int, folder: Path, program: str, kernels_a_call: Mapping[str, int]
) -> dict[str, list[list[ncu.Measured]]]:
    """Row -> the kernels of each call; how many a call has is known from a trace."""
    request = subject.request(calls, OUTSIDE, folder)
    log = Path(request.folder) / "ncu.csv"
    try:
        rows = _run(request, ncu.command(program, log))
    except ProfileFailure:
        if log.exists():
            ncu.parse(log.read_text())  # ncu's own reason is the better one
        raise
    counts = [(row, kernels_a_call[row]) for row in rows]
    return ncu.split(ncu.parse(log.read_text()), counts, calls)


def nsys_entries(subject: Subject, calls: int, folder: Path, program: str) -> list[nsys.Entry]:
    """Every line of the tables of a recorded timeline, which stays in the folder."""
    request = subject.request(calls, OUTSIDE, folder)
    report = Path(request.folder) / "timeline.nsys-rep"
    _run(request, nsys.record_command(program, report))
    entries = []
    for category, table in nsys.REPORTS.items():
        done = finish(nsys.stats_command(program, report, table))
        entries += nsys.parse(category, done.stdout)
    return entries


def unguarded_us(subject: Subject, loops: int, folder: Path) -> dict[str, list[float]]:
    """Row -> microseconds a call of each loop, for the rows that the side implements.

    The process is the side's own: nothing is confined, poisoned, guarded or looked at.
    """
    request = subject.request(loops, CLOCK, folder)
    rows = _run(request, [])
    answers = map(json.loads, request.answer.read_text().splitlines())
    return {one["row"]: one["us"] for one in answers if one["row"] in rows}


def _run(request: Request, before: Sequence[str]) -> list[str]:
    """Run the target under what stands before it; the rows that it called."""
    file = Path(request.folder) / "request.json"
    request.write(file)
    request.answer.unlink(missing_ok=True)
    done = finish([*before, sys.executable, "-m", "bench.profiling.target", str(file)])
    if not request.answer.exists():
        words = (done.stderr + done.stdout).strip()[-2000:]
        raise ProfileFailure(f"{request.side.name}: the profiled process gave no answer; {words}")
    answers = [json.loads(line) for line in request.answer.read_text().splitlines()]
    return [answer["row"] for answer in answers if not answer["missing"]]


def finish(command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command from the root to its end; ProfileFailure where it has none in time."""
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": module_path(), **environment},
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProfileFailure(f"{Path(command[0]).name}: no end within {TIME_LIMIT_S} s") from None
