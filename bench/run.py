# SPDX-License-Identifier: Apache-2.0
"""One invocation: what is judged, against what, where; and its record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.judge.build import build_folder
from bench.judge.contenders import FLOORS
from bench.record.machine import MachineProbe, MachineState
from bench.record.provenance import provenance
from bench.record.tree import tree_digest
from bench.task.arithmetic import Rounding
from bench.task.checkout import ROOT
from bench.task.config import Config
from bench.task.device import Device
from bench.task.op import Op
from bench.task.side import Side
from bench.task.workload import Workload, Workloads

RIVALS = ("addcmul", "inductor", "triton")


@dataclass(frozen=True)
class Run:
    """One invocation: what is judged, against what, where."""

    config: Config
    workloads: Workloads
    rows: tuple[Workload, ...]
    ops: tuple[Op, ...]
    roundings: tuple[Rounding, ...]
    device: Device
    solution: Path
    cache: Path
    """each side's builds lie in a folder of its own below it"""
    seed: int
    """secret until the run is over"""
    probe: MachineProbe
    idle_before: MachineState

    def references(self, rivals: bool) -> dict[tuple[str, Rounding], Side]:
        """The floors and, if asked for, the rivals: sides that take part and are not judged."""
        entries = {name: f"floor/entry.py:{name}" for name in FLOORS}
        if rivals:
            entries |= {one: f"rivals/{one}.py:load" for one in RIVALS}
        eager = Rounding.EACH_STEP
        return {
            (name, eager): Side(
                name,
                str(ROOT / "bench" / entry),
                self.device.type,
                eager.value,
                (),
                str(build_folder(self.cache, "floor" if name in FLOORS else name)),
            )
            for name, entry in entries.items()
        }

    def sides(self) -> dict[tuple[str, Rounding], Side]:
        """The baseline, and the solution once a rounding."""
        config, root = self.config, ROOT
        baseline = Side("baseline", str(root / config.baseline.entry))
        file, _, function = config.solution.entry.rpartition(":")
        entry = self.solution / Path(file).relative_to(Path(file).parts[0])
        language = getattr(config.solution.language, self.device.type)
        flags = getattr(config.solution.flags, language, ())
        builds = str(build_folder(self.cache, "solution", tree_digest(self.solution)))
        sides = {("baseline", Rounding.EACH_STEP): baseline}
        for rounding in self.roundings:
            sides["solution", rounding] = Side(
                "solution", f"{entry}:{function}", language, rounding.value, flags, builds
            )
        return sides

    @property
    def complete(self) -> bool:
        """Whether every frozen production row of the chosen ops is among the chosen."""
        return {row.id for row in self.workloads.of(self.ops) if row.production} <= {
            row.id for row in self.rows
        }

    def record(self, command: str, timer: str) -> dict[str, Any]:
        """The run record: what was asked, of what tree, on what machine."""
        return {
            "kind": "run",
            "command": command,
            "slug": self.config.task.slug,
            "config": self.config.resolved(),
            "overrides": dict(self.config.overrides),
            "frozen": self.workloads.frozen,
            "rows": [row.id for row in self.rows],
            "roundings": [rounding.value for rounding in self.roundings],
            "provenance": provenance(
                ROOT,
                self.device,
                solution=self.solution,
                config=self.config.path,
                workloads=self.config.workloads_path,
                timer=timer,
                idle_before=self.idle_before,
            ),
        }
