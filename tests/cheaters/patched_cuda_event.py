# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "lets torch.cuda.Event.elapsed_time return a tenth"
# caught_by = ["IMPOSSIBLE_TIME"]
# devices = ["cuda"]
from __future__ import annotations

import torch
from honest import compute, entry

_true = torch.cuda.Event.elapsed_time
torch.cuda.Event.elapsed_time = lambda start, end: _true(start, end) / 10


def load(op, **_):
    return entry(compute)
