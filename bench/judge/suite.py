# SPDX-License-Identifier: Apache-2.0
"""What correctness asks of both sides, kind by kind; every kind is derived from the contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from bench.floor.entry import build_producer
from bench.judge.case import Case
from bench.judge.checker import NOT_RUN, Check, Checker
from bench.judge.compare import Bounds, chunks, compare
from bench.judge.large import check_large
from bench.judge.oracle import envelopes, expected_output
from bench.judge.oracle_mutants import check_oracle_mutants
from bench.judge.refusals import check_refusals
from bench.judge.selftest import check_judge
from bench.judge.special import combinations, plant_in_rows, plant_specials, special_rows
from bench.judge.turn import Window
from bench.judge.verify import Finding, finding_of
from bench.record.status import Status
from bench.task.device import Device
from bench.task.op import Op
from bench.task.workload import Workload

QUICK_STEP = 8  # --quick takes every eighth grid point: all layouts and dtypes, in seconds
REPEAT_SEED = 20240229


@dataclass
class Suite:
    """The checks of one rounding."""

    checker: Checker
    guard_bytes: int
    device: Device
    builds: Path
    """of the floors"""
    other_device: str | None
    quick: bool = False

    def run(self, ops: Sequence[Op], rows: Sequence[Workload], *, grid: bool) -> list[Op]:
        """All checks of the chosen ops and rows; the ops that every side has.

        Largest rows come first, so that memory grows once.
        """
        loaded = [op for op in ops if self.checker.load(op)]
        for op in loaded if grid and not self.quick else []:
            check_large(self.checker, op, self.guard_bytes)
        for row in sorted(rows, key=lambda row: -row.bytes_moved):
            if row.op in loaded:
                self.row(row)
        for op in loaded if grid else []:
            check_judge(self.checker, op, self.guard_bytes)
            self.grid(op)
            self.special(op)
            self.repeat(op)
            self.graph(op)
            self.stream(op)
            check_refusals(self.checker, op, self.other_device)
        return loaded

    def row(self, row: Workload) -> None:
        """A frozen row on its own seed: both sides, and the oracle in both precisions."""
        case = self._case(row.op, row.layout, row.axes, row.dtype)
        self.checker.session.bits.manual_seed(row.seed)
        findings = self.checker.run("production", case, row.tolerance, workload=row.id)
        if all(one.status is not Status.OUT_OF_MEMORY for one in findings.values()):
            self._oracle(case, row)
            data = self.checker.session.data(self.checker.sides[0], case)
            check_oracle_mutants(self.checker, row, data)

    def grid(self, op: Op) -> None:
        """The regression points of the contract."""
        for point in op.grid(self.device.sm_count)[:: QUICK_STEP if self.quick else 1]:
            case = self._case(op, point.layout, point.axes, point.dtype, offsets=point.offsets)
            self.checker.run("grid", case)

    def special(self, op: Op) -> None:
        """Special values, in every combination or a row each, on a scalar and a vector width."""
        width, plant = combinations(len(op.inputs)), plant_specials
        rows = {}
        if op.reduced:
            width, plant = 261, plant_in_rows
            rows = {op.axes_names[-2]: special_rows(len(op.inputs))}
        for layout in op.layouts:
            for dtype in op.dtypes:
                for last in (width, -(-width // 8) * 8):
                    axes = dict.fromkeys(op.axes_names, 2) | rows | {op.axes_names[-1]: last}
                    case = self._case(op, layout, axes, dtype)
                    self.checker.run("special values", case, plant=plant)

    def repeat(self, op: Op) -> None:
        """The same seed twice, over different poison: the same bytes."""
        for layout in op.layouts:
            case = self._case(op, layout, self._middle(op), op.dtypes[0])
            kept: dict[str, list[list[torch.Tensor]]] = {side: [] for side in self.checker.sides}
            for _ in range(2):
                self.checker.session.bits.manual_seed(REPEAT_SEED)
                for side, finding in self.checker.run("repeat", case).items():
                    if finding.passed:
                        data = self.checker.session.data(side, case)
                        kept[side].append([data.view(name).clone() for name in op.outputs])
            for side, runs in kept.items():
                self._emit("same bytes", op, side, _same(runs), layout)

    def graph(self, op: Op) -> None:
        """Captured, inputs changed, replayed: the new results must come out."""
        if not self.checker.session.device.startswith("cuda"):
            return
        for layout in op.layouts:
            case = self._case(op, layout, self._middle(op), op.dtypes[0], slots=4)
            self.checker.run_twice_bound("graph", case, Window(0, 4, regime="graph"))

    def stream(self, op: Op) -> None:
        """Behind a slow producer on a stream that is not the default one, after another stream.

        The producer lets the next grid start before it writes. Players are fresh: what a side keeps
        of the first stream that it sees is the other one.
        """
        if self.device.architecture is None:
            return
        producer = str(build_producer(self.device.architecture, self.builds))
        case = self._case(op, next(iter(op.layouts)), self._middle(op), op.dtypes[0], slots=2)
        for side in self.checker.sides:
            self.checker.session.leave(side)
        self.checker.run_twice_bound(
            "stream", case, Window(0, 2, regime="behind", producer=producer)
        )

    def _oracle(self, case: Case, row: Workload) -> None:
        """The oracle in float32 against float64, on the first piece of the row's own inputs."""
        data = self.checker.session.data(self.checker.sides[0], case)
        tensors = {name: data.view(name) for name in case.op.tensors}
        _, piece = next(iter(chunks(case.op, case.layout, tensors)))
        inputs = [piece[name] for name in case.op.inputs]
        rounding = self.checker.rounding
        single = expected_output(case.op, rounding, inputs, torch.float32)
        double = expected_output(case.op, rounding, inputs, torch.float64)
        bounds = Bounds(row.tolerance.atol, row.tolerance.rtol, 1)
        finding = NOT_RUN
        ends = envelopes(case.op, rounding, inputs, torch.float64)
        for mine, exact, envelope in zip(single, double, ends, strict=True):
            finding = finding_of(compare(mine, exact, bounds, None, envelope=envelope))
            if not finding.passed:
                break
        self._emit("oracle", case.op, None, finding, case.layout, row.id)

    def _emit(
        self,
        check: str,
        op: Op,
        side: str | None,
        finding: Finding,
        layout: str,
        workload: str | None = None,
    ) -> None:
        rounding = self.checker.rounding.value
        self.checker.emit(
            Check(check, op.name, side, rounding, finding, workload, {"layout": layout})
        )

    def _case(
        self,
        op: Op,
        layout: str,
        axes: Mapping[str, int],
        dtype: str,
        slots: int = 1,
        offsets: Mapping[str, int] | None = None,
    ) -> Case:
        return Case(op, layout, axes, dtype, slots, self.guard_bytes, offsets or {})

    def _middle(self, op: Op) -> dict[str, int]:
        """Axes large enough for many blocks, small enough for a CPU."""
        names = op.axes_names
        return dict.fromkeys(names[:-2], 3) | {names[-2]: 333, names[-1]: 2048}


def _same(runs: Sequence[Sequence[torch.Tensor]]) -> Finding:
    """The verdict on the outputs of two runs, of which those that passed are here."""
    if len(runs) < 2:
        return Finding(Status.NOT_RUN, "a run that is to be repeated did not pass")
    if not all(first.equal(second) for first, second in zip(*runs, strict=True)):
        return Finding(Status.INCORRECT, "the same inputs gave other bytes the second time")
    return Finding(Status.PASSED, "")
