# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "answers the next request before it is made"
# caught_by = ["PROTOCOL_ERROR"]
from __future__ import annotations

import sys

from honest import compute, entry


def call(*tensors):
    compute(*tensors)
    frame = sys._getframe()
    while "channel" not in frame.f_locals:
        frame = frame.f_back
    mine = frame.f_locals["reply"]
    frame.f_locals["channel"].send({**mine, "id": mine["id"] + 1, "us": [1.0]})


def load(op, **_):
    return entry(call)
