# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "returns the output tensor, which nobody reads"
from __future__ import annotations

from honest import compute, entry


def call(*tensors):
    compute(*tensors)
    return tensors[-1]


def load(op, **_):
    return entry(call)
