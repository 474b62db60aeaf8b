# SPDX-License-Identifier: Apache-2.0
"""A session with two real players, the solution being whatever a test says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.judge.case import Case
from bench.judge.compare import Bounds
from bench.judge.session import Session
from bench.judge.turn import Window, bind, fill_inputs, take_turn
from bench.judge.verify import Expectation, Finding
from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.side import Side
from tests.fake_solution import FakeSolution

ROOT = Path(__file__).resolve().parents[2]
AXES = {
    "residual_gate_add": {"B": 1, "L": 9, "D": 40},
    "broadcast_add_4d": {"S": 4, "P": 3, "D": 40},
}
BOUNDS = Bounds(0.05, 0.05, 0)


class Table(Session):
    """Asks one case at a time of the fake solution or of the baseline."""

    def __init__(self, folder: Path) -> None:
        self.solution = FakeSolution(folder / "solution")
        entry = f"{self.solution.folder}/build.py:load"
        sides = {
            "baseline": Side("baseline", f"{ROOT}/baseline/{{op}}.py:{{op}}"),
            "solution": Side(
                "solution", entry, "cpu", "each_step", ("-O3",), str(folder / "cache")
            ),
        }
        super().__init__("cpu", sides, 60.0, 11)

    def case(self, op: str = "residual_gate_add", slots: int = 2, **axes: int) -> Case:
        layout = next(iter(OPS[op].layouts))
        return Case(OPS[op], layout, {**AXES[op], **axes}, "bfloat16", slots, 256)

    def turn(
        self, at_call: str = "right()", case: Case | None = None, window: Window | None = None
    ) -> Finding:
        """One turn of the solution, whose code is bound anew."""
        return self.sampled(at_call, case, window)[1]

    def sampled(
        self, at_call: str, case: Case | None = None, window: Window | None = None
    ) -> tuple[tuple[float, ...], Finding]:
        self.solution.at_call(at_call)
        case = case or self.case()
        before = fill_inputs(self, "solution", case)
        bound = bind(self, "solution", case)
        if not bound.passed:
            return (), bound
        expect = Expectation(Rounding.EACH_STEP, BOUNDS, before)
        return take_turn(self, "solution", case, window or Window(0, case.slots), expect, 3)

    def limit(self, seconds: float) -> None:
        """How long the solution's player may take from now on."""
        self.seated("solution").time_limit_s = seconds

    def values(self, case: Case, name: str) -> Mapping[str, object]:
        return {"values": self.data("solution", case).view(name)}
