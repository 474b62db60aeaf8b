# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "prints at every call, and looks like a result"
from __future__ import annotations

from honest import compute, entry


def call(*tensors):
    compute(*tensors)
    print("PASSED 1.0x")


def load(op, **_):
    return entry(call)
