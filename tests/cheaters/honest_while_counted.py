# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "computes honestly for its first twelve calls and never again"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry

calls = [0]


def call(*tensors):
    calls[0] += 1
    if calls[0] <= 12:
        compute(*tensors)


def load(op, **_):
    return entry(call)
