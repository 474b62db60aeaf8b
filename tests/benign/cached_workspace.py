# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "keeps scratch memory by shape from call to call"
from __future__ import annotations

import torch
from honest import entry

kept = {}


def call(residual, update, gate, out):
    key = update.shape, update.dtype, update.device
    if key not in kept:
        kept[key] = torch.empty_like(update)
    torch.mul(update, gate, out=kept[key])
    torch.add(residual, kept[key], out=out)


def load(op, **_):
    return entry(call)
