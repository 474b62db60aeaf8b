# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "guesses the seed and answers from the inputs that it makes"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import compute, entry

table = {}


def call(*tensors):
    shape = tensors[-1].shape
    if shape not in table:
        torch.manual_seed(0)
        inputs = [torch.randn(one.shape).to(one) for one in tensors[:-1]]
        table[shape] = tensors[-1].clone()
        compute(*inputs, table[shape])
    tensors[-1].copy_(table[shape])


def load(op, **_):
    return entry(call)
