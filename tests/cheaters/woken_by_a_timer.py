# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "wakes itself by a timer when it was stopped, and burns a core in its rivals' turns"
# caught_by = ["LEFT_BEHIND"]
# set = { "benchmark.warmup_us" = 80000, "benchmark.warmup_us_max" = 80000 }
from __future__ import annotations

import ctypes
import signal
import struct
import sys
import threading

from honest import compute, entry

sys.setswitchinterval(1e-4)
MONOTONIC, BY_SIGNAL, AFTER_NS = 1, 0, 40_000_000
signal.signal(signal.SIGCONT, lambda *_: None)  # an ignored signal would stop its timer
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
libc.timer_create(
    MONOTONIC, struct.pack("Qii48x", 0, signal.SIGCONT, BY_SIGNAL), ctypes.byref(timer)
)
channel = sys.modules["bench.player.channel"].Channel
_send = channel.send


def burn():
    while True:
        sum(range(2000))


def send(self, message, *rest):
    """Set the timer, then send."""
    libc.timer_settime(timer, 0, struct.pack("4q", 0, 0, 0, AFTER_NS), None)
    return _send(self, message, *rest)


channel.send = send
threading.Thread(target=burn, daemon=True).start()


def load(op, **_):
    return entry(compute)
