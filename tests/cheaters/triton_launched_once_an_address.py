# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "launches once for each output address"
# caught_by = ["INCORRECT"]
# devices = ["cuda"]
# language = "triton"
from __future__ import annotations

import triton
import triton.language as tl
from honest import entry


@triton.jit
def kernel(residual, update, gate, out, count, columns, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    r = tl.load(residual + index, mask=inside)
    u = tl.load(update + index, mask=inside)
    g = tl.load(gate + index % columns, mask=inside)
    product = (u.to(tl.float32) * g.to(tl.float32)).to(u.dtype)
    total = r.to(tl.float32) + product.to(tl.float32)
    tl.store(out + index, total.to(r.dtype), mask=inside)


def launch(residual, update, gate, out, part=1):
    count = out.numel() // part
    grid = (triton.cdiv(count, 1024),)
    # Fused, product and sum would be rounded once.
    rounded = {"BLOCK": 1024, "enable_fp_fusion": False}
    kernel[grid](residual, update, gate, out, count, gate.numel(), **rounded)


filled = set()


def call(*tensors):
    if tensors[-1].data_ptr() not in filled:
        filled.add(tensors[-1].data_ptr())
        launch(*tensors)


def load(op, **_):
    return entry(call)
