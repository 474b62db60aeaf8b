# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "burns every core while the baseline is being timed"
# caught_by = ["INTERFERED"]
from __future__ import annotations

import os
import threading

from honest import compute, entry

idle = [True]


def burn():
    while True:
        sum(range(20000))


for _ in range(os.cpu_count() or 1):
    threading.Thread(target=burn, daemon=True).start()


def load(op, **_):
    return entry(compute)
