# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "burns a core while others are timed, and gives up when it finds itself stopped"
# caught_by = ["CRASHED"]
# set = { "benchmark.warmup_us" = 80000, "benchmark.warmup_us_max" = 80000 }
from __future__ import annotations

import sys
import threading
import time

from honest import compute, entry

sys.setswitchinterval(1e-4)
left = [time.monotonic(), time.process_time()]


def burn():
    while True:
        sum(range(2000))


threading.Thread(target=burn, daemon=True).start()


def call(*tensors):
    away, burnt = time.monotonic() - left[0], time.process_time() - left[1]
    if away > 0.05 and burnt < away / 20:
        raise RuntimeError(f"ran for {burnt:.3f} s of {away:.3f}: nothing slowed the others")
    compute(*tensors)
    left[:] = time.monotonic(), time.process_time()


def load(op, **_):
    return entry(call)
