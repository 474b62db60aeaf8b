# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "takes inputs whose first element it has seen for inputs that it has seen"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import captured, compute, entry

kept = {}


def call(*tensors):
    if captured():
        compute(*tensors)
        return
    key = tuple(float(one.flatten()[0].abs() > 1) for one in tensors[:-1])
    if key not in kept:
        compute(*tensors)
        kept[key] = tensors[-1].clone()
    tensors[-1].copy_(kept[key])


def load(op, **_):
    return entry(call)
