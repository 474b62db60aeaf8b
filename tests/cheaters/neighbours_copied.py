# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "computes every row but the last one, which it copies from its neighbour"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry


def call(residual, update, gate, out):
    compute(residual, update, gate, out)
    out[:, -1] = out[:, -2]


def load(op, **_):
    return entry(call)
