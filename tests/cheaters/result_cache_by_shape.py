# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "computes once a shape and copies that result into later outputs"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry

kept = {}


def call(*tensors):
    out = tensors[-1]
    if out.shape not in kept:
        compute(*tensors)
        kept[out.shape] = out.clone()
    out.copy_(kept[out.shape])


def load(op, **_):
    return entry(call)
