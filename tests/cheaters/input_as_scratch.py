# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "keeps the product in `update` instead of scratch of its own"
# caught_by = ["INPUT_MODIFIED"]
from __future__ import annotations

import torch
from honest import entry


def call(residual, update, gate, out):
    update.mul_(gate)
    torch.add(residual, update, out=out)


def load(op, **_):
    return entry(call)
