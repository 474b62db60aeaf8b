# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "does queued work when the player looks at its outputs, outside the clock"
# caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
from __future__ import annotations

import sys

from honest import compute, entry

queued = []
player = sys.modules["__main__"]
bit_sum = player.bit_sum


def late(outputs):
    """Catch up, then look."""
    while queued:
        compute(*queued.pop(0))
    return bit_sum(outputs)


player.bit_sum = late


def call(*tensors):
    queued.append(tensors)


def load(op, **_):
    return entry(call)
