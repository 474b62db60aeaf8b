# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "takes over the channel and answers every request with good news"
# caught_by = ["INCORRECT", "IMPOSSIBLE_TIME"]
from __future__ import annotations

import sys


def load(op, **_):
    """Never return: be the player."""
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    channel, request = frame.f_locals["channel"], frame.f_locals["request"]
    fields = list(frame.f_locals["reply"])
    while True:
        count = request.get("count", 1) if request.get("regime") == "each" else 1
        us = [5.0] * count if request["do"] == "sample" else []
        reply = {"id": request["id"], "ok": True, "us": us, "marks": [], "kind": "", "text": ""}
        channel.send({name: reply[name] for name in fields})
        request, _ = channel.receive()
