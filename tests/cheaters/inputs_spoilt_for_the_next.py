# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "zeroes the inputs of the call before, which only its rivals still have to read"
# caught_by = ["INPUT_MODIFIED"]
# devices = ["cpu"]
from __future__ import annotations

from honest import compute, entry

before = []


def call(*tensors):
    compute(*tensors)
    if before and before[-1].data_ptr() < tensors[-1].data_ptr():
        for one in before[:-1]:
            one.zero_()
    before[:] = tensors


def load(op, **_):
    return entry(call)
