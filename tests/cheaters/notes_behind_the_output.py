# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "keeps notes in the bytes behind the output, out of the comparison's sight"
# caught_by = ["GUARD_OVERWRITTEN"]
from __future__ import annotations

from honest import compute, entry


def call(*tensors):
    compute(*tensors)
    out = tensors[-1]
    out.as_strided((4,), (1,), out.storage_offset() + out.numel()).fill_(1)


def load(op, **_):
    return entry(call)
