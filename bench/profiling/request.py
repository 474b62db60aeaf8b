# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.task.side import Side
from bench.task.workload import Workload

TORCH, OUTSIDE, CLOCK = "torch", "outside", "clock"
CALL = "profiled call"
"""The name of the range round each call, in every instrument that shows ranges."""
WARM_CALLS = 3
COLD_FACTOR = 4
"""The ring of tensor sets spans this many times the last cache."""


@dataclass(frozen=True)
class Asked:
    """One row of a request."""

    row: str
    op: str
    layout: str
    axes: Mapping[str, int]
    dtype: str
    slots: int
    """sets of tensors that the calls go round"""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """elements by which a tensor's start is moved off its alignment"""


@dataclass(frozen=True)
class Request:
    """One side on several rows, `calls` calls of each."""

    device: str
    threads: int
    side: Side
    rows: tuple[Asked, ...]
    calls: int
    recorder: str
    """torch: the process records itself; outside: it runs under an instrument; clock: it times
    loops by the harness's own clock, `calls` of them"""
    folder: str
    """where traces and the answer go"""

    @property
    def answer(self) -> Path:
        """JSON lines: row, why it was not called or nothing, libraries, us by the clock."""
        return Path(self.folder) / "answer.jsonl"

    def trace(self, row: str) -> Path:
        """A row's chrome trace."""
        return Path(self.folder) / f"{row}.json"

    def write(self, file: Path) -> None:
        """Store it for the process to read."""
        file.write_text(json.dumps(asdict(self)))

    @staticmethod
    def read(file: Path) -> Request:
        """What `write` stored."""
        values = json.loads(file.read_text())
        rows = tuple(Asked(**row) for row in values.pop("rows"))
        return Request(**{**values, "side": Side.from_json(values["side"]), "rows": rows})


def ask(rows: Sequence[Workload], cache_bytes: int) -> tuple[Asked, ...]:
    """Rows with enough tensor sets that none is in the last cache when its turn comes again."""
    return tuple(
        Asked(row.id, row.op.name, row.layout, row.axes, row.dtype, _slots(row, cache_bytes))
        for row in rows
    )


def _slots(row: Workload, cache_bytes: int) -> int:
    return max(2, -(-COLD_FACTOR * cache_bytes // row.bytes_moved) + 1)
