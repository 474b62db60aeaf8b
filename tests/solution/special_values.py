# SPDX-License-Identifier: Apache-2.0
"""Values at the edges of each dtype, and what it means for two tensors to be the same bits."""

from __future__ import annotations

import torch

BITS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}


def special_values(dtype):
    limits = torch.finfo(dtype)
    positive = [
        0.0,
        1.0,
        1.0 + limits.eps,  # odd in its last bit
        3.0,
        limits.max,
        limits.tiny,  # the least normal
        limits.smallest_normal * limits.eps,  # the least subnormal
        limits.tiny * (1 - limits.eps),  # the largest subnormal
        limits.max**0.5,
        float("inf"),
        float("nan"),
    ]
    values = torch.tensor(positive, dtype=torch.float64)
    return torch.cat([values, -values]).to(dtype)


def special_triples(dtype):
    """Three tensors that hold every combination of three special values."""
    values = special_values(dtype)
    return [
        axis.reshape(1, len(values), -1).contiguous()
        for axis in torch.meshgrid(values, values, values, indexing="ij")
    ]


def differing(got, expected):
    """How many elements differ in a bit, a NaN being the same as any other NaN."""
    same_bits = got.view(BITS[got.dtype]) == expected.view(BITS[got.dtype])
    return int((~(same_bits | (got.isnan() & expected.isnan()))).sum())


def fused_multiply_add(a, b, c):
    """a * b + c in float32 with one rounding: a float64 sum rounded to odd, then to float32."""
    product, addend = a.double() * b.double(), c.double()  # the product is exact
    total = product + addend
    virtual = total - product
    error = (product - (total - virtual)) + (addend - virtual)
    inexact = error.isfinite() & (error != 0)
    even = total.view(torch.int64) % 2 == 0
    towards = torch.nextafter(total, torch.copysign(torch.full_like(total, torch.inf), error))
    return torch.where(inexact & even, towards, total).float()
