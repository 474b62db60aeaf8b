# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "never returns from a call"
# caught_by = ["TIMED_OUT"]
# set = { "benchmark.row_time_limit_s" = 10 }
from __future__ import annotations

import time

from honest import entry


def call(*tensors):
    time.sleep(1000)


def load(op, **_):
    return entry(call)
