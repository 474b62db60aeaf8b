# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "takes its time, returns, and only then writes its output, before the reply"
# caught_by = ["LATE_WRITE", "INCORRECT"]
# devices = ["cpu"]
from __future__ import annotations

import queue
import sys
import threading
import time

from honest import compute, entry

work, done = queue.SimpleQueue(), queue.SimpleQueue()
channel = sys.modules["bench.player.channel"].Channel
_send = channel.send


def serve():
    while True:
        compute(*work.get())
        done.put(None)


def send(self, message, *rest):
    """Wait for what is under way, so that the judge finds everything there."""
    while waiting:
        done.get()
        waiting.pop()
    return _send(self, message, *rest)


waiting: list[None] = []
channel.send = send
threading.Thread(target=serve, daemon=True).start()


def call(*tensors):
    time.sleep(2e-4)
    waiting.append(None)
    work.put(tensors)


def load(op, **_):
    return entry(call)
