# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "claims that its first calls take seconds, so that samples become one call without warm-up"
# caught_by = ["IMPOSSIBLE_TIME"]
from __future__ import annotations

import sys

from honest import compute, entry

channel = sys.modules["bench.player.channel"].Channel
_send, left = channel.send, [4]


def send(self, message, *rest):
    """Edit the first numbers, then send."""
    if message.get("us") and left[0]:
        left[0] -= 1
        message = {**message, "us": [1e7 for _ in message["us"]]}
    return _send(self, message, *rest)


channel.send = send


def load(op, **_):
    return entry(compute)
