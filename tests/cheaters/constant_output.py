# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "writes the mean that random inputs would give"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import entry


def call(*tensors):
    tensors[-1].zero_()


def load(op, **_):
    return entry(call)
