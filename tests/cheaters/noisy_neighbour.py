# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "burns a core while others are timed, and gives up when it finds itself stopped"
# caught_by = ["CRASHED"]
# devices = ["cpu"]
from __future__ import annotations

import threading
import time

from honest import compute, entry

turns = [0]
left = [time.monotonic(), 0]


def burn():
    while True:
        sum(range(2000))
        turns[0] += 1


threading.Thread(target=burn, daemon=True).start()


def call(*tensors):
    away, burnt = time.monotonic() - left[0], turns[0] - left[1]
    if away > 0.2 and burnt < 500 * away:
        raise RuntimeError(f"stopped for most of {away:.2f} s: nothing slowed the others")
    compute(*tensors)
    left[:] = time.monotonic(), turns[0]


def load(op, **_):
    return entry(call)
