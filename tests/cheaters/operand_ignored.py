# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "ignores the gate"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import entry


def call(residual, update, gate, out):
    torch.add(residual, update, out=out)


def load(op, **_):
    return entry(call)
