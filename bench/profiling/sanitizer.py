# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer round the process that does nothing but call one side on points of the grid."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.profiling.launch import finish
from bench.profiling.request import OUTSIDE, Asked, Request
from bench.profiling.trace import ProfileFailure
from bench.task.grid import Point
from bench.task.op import Op
from bench.task.side import Side

PROGRAM = "compute-sanitizer"
TOOLS = {
    "memcheck": "accesses out of bounds or misaligned",
    "racecheck": "unordered accesses to shared memory",
    "initcheck": "reads of device memory that nothing has written",
    "synccheck": "barriers that not all threads reach",
}
SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)", re.MULTILINE)
FOUND = re.compile(
    r"^=+ ((?:Invalid|Uninitialized|Race|Error|Warning|Barrier|Program hit).*)", re.M
)
WORDS_MAX = 3  # of the first errors; the others are counted


@dataclass(frozen=True)
class Sanitized:
    """What one tool found in one process."""

    errors: int
    words: tuple[str, ...]
    """the first errors, as the tool put them"""
    missing: str
    """why the side was not called, or nothing"""


def asked(op: Op, points: Iterable[Point]) -> tuple[Asked, ...]:
    """Points of an op's grid, each with one set of tensors."""
    return tuple(
        Asked(f"{op.name}-{at}", op.name, one.layout, one.axes, one.dtype, 1, one.offsets)
        for at, one in enumerate(points)
    )


def sanitize(
    side: Side, points: Sequence[Asked], device: str, program: str, tool: str, folder: Path
) -> Sanitized:
    """Call a side once on each point under a tool; ProfileFailure where it came to no summary.

    torch's allocator is switched off: in one of its blocks a neighbour's bytes are in bounds.
    """
    request = Request(device, 1, side, tuple(points), 1, OUTSIDE, str(folder.resolve()))
    file = folder / "request.json"
    request.write(file)
    request.answer.unlink(missing_ok=True)
    target = [sys.executable, "-m", "bench.profiling.target", str(file.resolve())]
    done = finish([program, "--tool", tool, *target], PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    errors, words = found_in(done.stdout)
    if errors is None or (not errors and not request.answer.exists()):
        said = (done.stdout + done.stderr).strip()[-2000:]
        raise ProfileFailure(f"{tool}: expected a summary and every call made, got: {said}")
    missing = ""
    if request.answer.exists():
        lines = request.answer.read_text().splitlines()
        missing = next((one["missing"] for one in map(json.loads, lines) if one["missing"]), "")
    return Sanitized(errors, words, missing)


def found_in(text: str) -> tuple[int | None, tuple[str, ...]]:
    """Errors or hazards that a tool counted and the first of them; None without a summary."""
    counts = SUMMARY.findall(text)
    return (int(counts[-1]) if counts else None), tuple(FOUND.findall(text)[:WORDS_MAX])
