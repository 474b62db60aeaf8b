# SPDX-License-Identifier: Apache-2.0
"""Exact arithmetic on plain Python numbers: a reference that shares nothing with torch."""

from __future__ import annotations

import math
from fractions import Fraction

# dtype -> bits of the significand, exponent of the smallest subnormal, largest finite value
FORMATS = {
    "bfloat16": (8, -133, (2 - 2.0**-7) * 2.0**127),
    "float16": (11, -24, 65504.0),
    "float32": (24, -149, (2 - 2.0**-23) * 2.0**127),
}


def rounded(value: Fraction, dtype: str, zero_sign: float = 1.0) -> float:
    """The nearest value of a dtype, ties to even, overflow to infinity."""
    significand, smallest, largest = FORMATS[dtype]
    if value == 0:
        return math.copysign(0.0, zero_sign)
    exponent = math.floor(math.log2(abs(value))) if abs(value) < 2**1000 else 1000
    while Fraction(2) ** exponent > abs(value):
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= abs(value):
        exponent += 1
    step = Fraction(2) ** max(exponent - significand + 1, smallest)
    result = round(value / step) * step
    if abs(result) > Fraction(largest):
        return math.copysign(math.inf, value)
    return math.copysign(float(result), value)


def product(left: float, right: float, dtype: str | None) -> float | Fraction:
    """left * right, rounded to a dtype, or exact where there is none."""
    plain = left * right
    if not (math.isfinite(left) and math.isfinite(right)) or 0 in (left, right):
        return plain
    exact = Fraction(left) * Fraction(right)
    return exact if dtype is None else rounded(exact, dtype)


def total(left: float, right: float | Fraction, dtype: str) -> float:
    """left + right, rounded to a dtype."""
    if isinstance(right, float) and not (math.isfinite(left) and math.isfinite(right)):
        return left + right
    if not math.isfinite(left):
        return left
    exact = Fraction(left) + Fraction(right)
    if exact == 0:
        both = left == 0 and right == 0 and isinstance(right, float)
        return left + right if both else 0.0
    return rounded(exact, dtype)
