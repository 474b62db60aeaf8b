# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "computes every bound call in the first timed one and returns at once from the others"
# caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
from __future__ import annotations

import functools
import gc

from honest import compute, entry

bound, seen = [], set()


def call(*tensors):
    if not bound:
        found = (o for o in gc.get_objects() if isinstance(o, functools.partial))
        bound.extend(one.args for one in found if one.func is call)
    if tensors[-1].data_ptr() in seen:
        seen.discard(tensors[-1].data_ptr())
        return
    for one in bound:
        compute(*one)
        seen.add(one[-1].data_ptr())
    seen.discard(tensors[-1].data_ptr())


def load(op, **_):
    return entry(call)
