# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "pins every other player to one core and lowers its priority"
# caught_by = ["BUILD_FAILED", "CRASHED"]
# beside_baseline = true
from __future__ import annotations

import os
from pathlib import Path

from honest import compute, entry

for process in Path("/proc").glob("[0-9]*"):
    words = (process / "cmdline").read_bytes() if (process / "cmdline").exists() else b""
    if b"player" in words and int(process.name) != os.getpid():
        os.sched_setaffinity(int(process.name), {0})
        os.setpriority(os.PRIO_PROCESS, int(process.name), 19)


def load(op, **_):
    return entry(compute)
