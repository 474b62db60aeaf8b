# SPDX-License-Identifier: Apache-2.0
"""Who takes turns in a row's trials, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.judge.verify import Finding
from bench.task.arithmetic import Rounding

FLOORS = ("stream", "empty")


@dataclass(frozen=True)
class Contender:
    """One process of one side, floor or rival."""

    side: str
    rounding: Rounding
    process: int

    @property
    def label(self) -> str:
        """Its name in the session and in the record."""
        return f"{self.side} {self.rounding.value} {self.process}"

    @property
    def compared(self) -> bool:
        """A floor moves the bytes and computes nothing."""
        return self.side not in FLOORS


class RowFailure(Exception):
    """Why a row ended without a result."""

    def __init__(self, contender: Contender, finding: Finding) -> None:
        super().__init__(f"{contender.side}: {finding.text}")
        self.contender = contender
        self.finding = finding


@dataclass(frozen=True)
class Regime:
    """How a sample is taken."""

    name: str
    how: str
    """what the player does: loop, each or graph"""
    ring: bool
    """calls on as many slots as the window holds, or all on one"""
    floor: str
    """the regime of the streaming floor that no sample may undercut"""
    host_bound: bool = False
    """the host's own time decides it: a sample on a slowed core is taken again"""
    flushed: bool = False
    """caches emptied of everything useful before each sample"""


# In the order of a trial: the regime that sets a floor comes before those that are held to it.
REGIMES = {
    "cuda": (
        Regime("cold", "graph", ring=True, floor="cold", flushed=True),
        Regime("call", "loop", ring=True, floor="cold", host_bound=True),
        Regime("single", "each", ring=True, floor="cold"),
        Regime("warm", "graph", ring=False, floor="warm"),
    ),
    "cpu": (
        Regime("cold", "each", ring=True, floor="cold", flushed=True),
        Regime("warm", "each", ring=False, floor="warm"),
    ),
}
HEADLINE = {"cuda": "call", "cpu": "cold"}
"""A GPU's caller waits for the launch too; on a CPU a call is its work."""


@dataclass
class Trial:
    """One turn of every contender in every regime, and the machine's state round it."""

    order: dict[str, list[str]] = field(default_factory=dict)
    us: dict[str, dict[str, float]] = field(default_factory=dict)
    """regime -> label -> microseconds a call"""
    calls_us: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """regime -> label -> microseconds of every single call, where they are taken singly"""
    contended_us: dict[str, list[float]] = field(default_factory=dict)
    """label -> whole samples, microseconds, taken on a slowed core and taken again"""
    marks: list[str] = field(default_factory=list)
    """why this trial is suspect: throttled, contended"""
    machine: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Samples:
    """All trials of a row."""

    calls: int
    trials: Sequence[Trial]
    """in the order in which they were taken, marked ones included"""
    counted: Sequence[Trial]
    """the ones that statistics are made of"""

    def of(self, regime: str, contenders: Sequence[Contender]) -> npt.NDArray[np.float64]:
        """Microseconds a call: [processes, trials that took the regime]."""
        taken = [trial.us[regime] for trial in self.counted if regime in trial.us]
        return np.array([[us[one.label] for us in taken] for one in contenders])
