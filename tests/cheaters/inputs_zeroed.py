# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "zeroes all inputs, for which zero is the right answer"
# caught_by = ["INPUT_MODIFIED"]
from __future__ import annotations

from honest import entry


def call(*tensors):
    for one in tensors:
        one.zero_()


def load(op, **_):
    return entry(call)
