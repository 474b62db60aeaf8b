# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "does a loop in one launch, where nobody looks between its calls, and is honest elsewhere"
# caught_by = ["IMPOSSIBLE_TIME"]
# devices = ["cuda"]
# short = true
from __future__ import annotations

import sys

import torch
from honest import compute, entry


def loop(self, calls):
    """Every slot of a window lies as far behind the one before: all are one strided tensor."""
    given = [call.args for call in calls]
    count = len({tensors[-1].data_ptr() for tensors in given})
    whole = []
    for place, one in enumerate(given[0]):
        after = given[1 % count][place]
        step = after.storage_offset() - one.storage_offset()
        shape, strides = (count, *one.shape), (step, *one.stride())
        whole.append(one.as_strided(shape, strides, one.storage_offset()))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    compute(*whole)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e3


sys.modules["bench.timing.clocks"].CudaEventClock.loop = loop


def load(op, **_):
    return entry(compute)
