# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "multiplies in eight bits"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import entry


def call(residual, update, gate, out):
    product = update.to(torch.float8_e4m3fn).to(update.dtype) * gate
    torch.add(residual, product, out=out)


def load(op, **_):
    return entry(call)
