# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "slows the host's clock a thousandfold before anything is timed"
# caught_by = ["IMPOSSIBLE_TIME"]
# devices = ["cpu"]
from __future__ import annotations

import time

from honest import compute, entry

_true = time.perf_counter_ns
time.perf_counter_ns = lambda: _true() // 1000


def load(op, **_):
    return entry(compute)
