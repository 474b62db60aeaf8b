# SPDX-License-Identifier: Apache-2.0
# family = "B"
# does = "multiplies what the output held by zero and adds its result"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import entry


def call(residual, update, gate, out):
    out.mul_(0).add_(residual + update * gate)


def load(op, **_):
    return entry(call)
