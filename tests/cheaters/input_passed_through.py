# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "returns the residual as the result"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import entry


def call(residual, update, gate, out):
    out.copy_(residual)


def load(op, **_):
    return entry(call)
