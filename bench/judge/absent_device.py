# SPDX-License-Identifier: Apache-2.0
"""A back end whose device is not here: compiled, loaded, and its host code asked for refusals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from bench.judge.checker import Check, Checker
from bench.judge.refusals import check_refusals
from bench.judge.session import Session
from bench.task.config import Correctness
from bench.task.op import Op, Rounding
from bench.task.side import Side


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
