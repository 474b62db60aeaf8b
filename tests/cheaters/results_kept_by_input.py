# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "keeps each result beside its input's address, and copies it when that address comes again"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry

kept = {}


def call(*tensors):
    *inputs, out = tensors
    place = inputs[0].data_ptr()
    if place in kept:
        out.copy_(kept[place])
    else:
        compute(*tensors)
        kept[place] = out.clone()


def load(op, **_):
    return entry(call)
