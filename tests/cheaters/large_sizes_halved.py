# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "computes half of any tensor above 10,000 elements"
# caught_by = ["INCORRECT"]
from __future__ import annotations

from honest import compute, entry


def call(residual, update, gate, out):
    rows = residual.shape[1] // (2 if out.numel() > 10_000 else 1)
    compute(residual[:, :rows], update[:, :rows], gate, out[:, :rows])


def load(op, **_):
    return entry(call)
