# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "sends words where numbers are due"
# caught_by = ["PROTOCOL_ERROR"]
from __future__ import annotations

import sys

from honest import compute, entry

channel = sys.modules["bench.player.channel"].Channel
_send = channel.send


def send(self, message, *rest):
    """Send something else once there are numbers."""
    if not message.get("us"):
        return _send(self, message, *rest)
    return _send(self, {**message, "us": ["fast" for _ in message["us"]]}, *rest)


channel.send = send


def load(op, **_):
    return entry(compute)
