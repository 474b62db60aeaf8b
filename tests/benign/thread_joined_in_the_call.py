# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "lets a pool of threads do the work and waits for them"
# devices = ["cpu"]
from __future__ import annotations

import concurrent.futures

from honest import compute, entry

pool = concurrent.futures.ThreadPoolExecutor(2)


def call(residual, update, gate, out):
    half = residual.shape[1] // 2
    parts = [slice(0, half), slice(half, None)]
    jobs = [
        pool.submit(compute, residual[:, one], update[:, one], gate, out[:, one]) for one in parts
    ]
    for job in jobs:
        job.result()


def load(op, **_):
    return entry(call)
