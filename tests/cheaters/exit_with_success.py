# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "ends its process with exit code 0 before it is asked for anything"
# caught_by = ["CRASHED"]
from __future__ import annotations

import os


def load(op, **_):
    print("correctness: PASS, speedup 12.0x", flush=True)
    os._exit(0)
