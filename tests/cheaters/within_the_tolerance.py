# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "is off by one hundredth, a fifth of the frozen tolerance"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry


def call(residual, update, gate, out):
    compute(residual, update, gate, out)
    out.mul_(1.01)


def load(op, **_):
    return entry(call)
