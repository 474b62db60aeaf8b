# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "guesses the seed and answers from a table made at import"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import entry

table = {}
for seed in range(20):
    torch.manual_seed(seed)
    table[seed] = torch.randn(126, 512)


def call(*tensors):
    tensors[-1].copy_(table[7].to(tensors[-1].device).expand_as(tensors[-1]))


def load(op, **_):
    return entry(call)
