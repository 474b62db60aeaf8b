# SPDX-License-Identifier: Apache-2.0
"""Tensors of more than 2^31 elements and 65,535 rows: what an index of 32 bits cannot hold."""

from __future__ import annotations

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.checker import Checker
from bench.judge.memory_budget import memory_budget
from bench.task.op import Op

ELEMENTS = 1 << 31
LAST, BEFORE = 4096, 3  # sizes of the last axis and of the one before it
MEMORY_FRACTION = 0.5  # of what is free; a device that has less cannot hold such tensors
SIDES_MEMORY = 2  # outputs' worth that a side may need for itself, as eager does for its product


def check_large(checker: Checker, op: Op, guard_bytes: int) -> None:
    """Every layout of an op just beyond 2^31 elements, on a GPU that has the room."""
    device = checker.session.device
    if not device.startswith("cuda"):
        return  # 17 GB of a CPU's memory, and minutes
    names = op.axes_names
    axes = dict.fromkeys(names, 1) | {names[-2]: BEFORE, names[-1]: LAST}
    axes[names[0]] = ELEMENTS // (BEFORE * LAST) + 1
    for layout in op.layouts:
        case = Case(op, layout, axes, op.dtypes[0], 1, guard_bytes)
        sides = len(checker.sides) + SIDES_MEMORY
        needed = 2 * case.bytes_of(INPUTS) + sides * case.bytes_of(OUTPUTS)
        if needed <= memory_budget(device, MEMORY_FRACTION):
            checker.run("large", case)
