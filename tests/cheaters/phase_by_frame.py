# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "walks the stack for the timed list of calls and skips all of it but the ends"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import sys

from honest import compute, entry


def call(*tensors):
    frame = sys._getframe()
    while frame is not None:
        calls = frame.f_locals.get("calls")
        if isinstance(calls, list) and len(calls) > 2:
            middle = [one.args[-1].data_ptr() for one in calls[1:-1]]
            if tensors[-1].data_ptr() in middle:
                return
        frame = frame.f_back
    compute(*tensors)


def load(op, **_):
    return entry(call)
