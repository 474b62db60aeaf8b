# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "skips one call in nine"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry

calls = [0]


def call(*tensors):
    calls[0] += 1
    if calls[0] % 9:
        compute(*tensors)


def load(op, **_):
    return entry(call)
