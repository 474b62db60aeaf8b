# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "writes NaN, hoping that a comparison with NaN is never false"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import entry


def call(*tensors):
    tensors[-1].fill_(float("nan"))


def load(op, **_):
    return entry(call)
