# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "returns a tensor that would be computed when looked at, and writes nothing"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import entry


class Lazy(torch.Tensor):
    """Computes when it is read."""


def call(*tensors):
    return tensors[-1].as_subclass(Lazy)


def load(op, **_):
    return entry(call)
