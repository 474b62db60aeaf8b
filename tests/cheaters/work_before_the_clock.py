# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "does the timed calls' work in the warm calls, having found their tensors by the collector"
# caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
from __future__ import annotations

import functools
import gc

from honest import compute, entry

done, bound = set(), []


def batch():
    """Everything that is bound, once a request."""
    for tensors in bound:
        compute(*tensors)


def call(*tensors):
    if not bound:
        found = (o for o in gc.get_objects() if isinstance(o, functools.partial))
        bound.extend(one.args for one in found if one.func is call)
    if tensors[-1].data_ptr() == bound[0][-1].data_ptr():
        batch()


def load(op, **_):
    return entry(call)
