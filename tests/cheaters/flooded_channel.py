# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "sends megabytes where a reply is due"
# caught_by = ["PROTOCOL_ERROR"]
from __future__ import annotations

import sys

from honest import entry


def call(*tensors):
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    channel = frame.f_locals["channel"]._socket
    for _ in range(64):
        channel.send(b"x" * 100_000)


def load(op, **_):
    return entry(call)
