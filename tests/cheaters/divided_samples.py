# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "divides every sample on its way to the judge by a thousand"
# caught_by = ["IMPOSSIBLE_TIME"]
from __future__ import annotations

import sys

from honest import compute, entry

channel = sys.modules["bench.player.channel"].Channel
_send = channel.send


def send(self, message, *rest):
    """Edit the numbers, then send."""
    return _send(self, {**message, "us": [us / 1000 for us in message.get("us", [])]}, *rest)


channel.send = send


def load(op, **_):
    return entry(compute)
