# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "changes its output when the judge has compared it, and gives up if it was stopped"
# caught_by = ["LATE_WRITE", "CRASHED", "INCORRECT"]
# devices = ["cpu"]
# set = { "benchmark.warmup_us" = 120000, "benchmark.warmup_us_max" = 120000 }
from __future__ import annotations

import sys
import threading
import time

from honest import compute, entry

DELAY_S = 0.05  # the judge has compared by then, and a rival still warms up
channel = sys.modules["bench.player.channel"].Channel
_send, answered, last, late = channel.send, threading.Event(), [], []


def scribble():
    while answered.wait():
        answered.clear()
        started = time.monotonic()
        time.sleep(DELAY_S)
        if time.monotonic() - started > 2 * DELAY_S:
            late.append(started)
        elif last:
            last[-1].zero_()


def send(self, message, *rest):
    """Send, then let the other thread wait."""
    _send(self, message, *rest)
    answered.set()


channel.send = send
threading.Thread(target=scribble, daemon=True).start()


def call(*tensors):
    if len(late) > 1:
        raise RuntimeError("nothing can be written behind the judge's back")
    compute(*tensors)
    last[:] = tensors


def load(op, **_):
    return entry(call)
