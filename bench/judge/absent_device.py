# SPDX-License-Identifier: Apache-2.0
"""A back end whose device is not here: compiled, loaded, and its host code asked for refusals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.judge.checker import Check, Checker
from bench.judge.refusals import check_refusals
from bench.judge.session import Session
from bench.task.arithmetic import Rounding
from bench.task.config import Config, Correctness
from bench.task.op import Op
from bench.task.side import Side


def absent_sides(
    config: Config, root: Path, cache: Path, roundings: Sequence[str], architecture: str
) -> list[Side]:
    """The solution below root as a GPU of this architecture would load it, once a rounding."""
    file, _, function = config.solution.entry.rpartition(":")
    language = config.solution.language.cuda
    flags = getattr(config.solution.flags, language, ())
    return [
        Side(
            "solution", f"{root / file}:{function}", language, one, flags, str(cache), architecture
        )
        for one in roundings
    ]


def check_absent_device(
    side: Side, ops: Sequence[Op], policy: Correctness, emit: Callable[[Check], None]
) -> None:
    """Check a CUDA side, which names its architecture, on a machine without that GPU."""
    limit_s, rounding = policy.row_time_limit_s, Rounding(side.rounding)
    with Session("cpu", {"solution": side}, limit_s, seed=0) as session:
        checker = Checker(session, policy, rounding, ["solution"], emit, random.Random(0))
        for op in ops:
            if checker.load(op):
                check_refusals(checker, op, None, absent="cuda")
