# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "crowds the host in its own turns, which might excuse odd times, and divides them by 1000"
# caught_by = ["IMPOSSIBLE_TIME"]
# devices = ["cpu"]
from __future__ import annotations

import sys
import threading

import torch
from honest import compute, entry

channel = sys.modules["bench.player.channel"].Channel
_send = channel.send


def send(self, message, *rest):
    """Edit the numbers, then send."""
    return _send(self, {**message, "us": [us / 1000 for us in message.get("us", [])]}, *rest)


def crowd():
    busy = torch.zeros(1 << 20)
    while True:
        busy.add_(1)


channel.send = send
for _ in range(12):
    threading.Thread(target=crowd, daemon=True).start()


def load(op, **_):
    return entry(compute)
