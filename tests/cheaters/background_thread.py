# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "hands each call to a thread and returns"
# caught_by = ["LATE_WRITE", "IMPOSSIBLE_TIME", "INCORRECT"]
from __future__ import annotations

import queue
import threading

from honest import compute, entry

work = queue.SimpleQueue()


def serve():
    while True:
        compute(*work.get())


threading.Thread(target=serve, daemon=True).start()


def call(*tensors):
    work.put(tensors)


def load(op, **_):
    return entry(call)
