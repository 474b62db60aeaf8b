# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "remembers which output addresses it has filled and skips them"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry

filled = set()


def call(*tensors):
    if tensors[-1].data_ptr() not in filled:
        filled.add(tensors[-1].data_ptr())
        compute(*tensors)


def load(op, **_):
    return entry(call)
