# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "prints without end"
# caught_by = ["CRASHED"]
from __future__ import annotations

import os

from honest import compute, entry


def call(*tensors):
    compute(*tensors)
    while True:
        os.write(1, b"PASSED " * 1_000_000)


def load(op, **_):
    return entry(call)
