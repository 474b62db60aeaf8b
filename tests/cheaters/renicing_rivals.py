# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "lowers the priority of every other player and pins it to one core"
# caught_by = ["INTERFERED"]
from __future__ import annotations

import os
from pathlib import Path

from honest import compute, entry

for entry_ in Path("/proc").iterdir():
    if entry_.name.isdigit() and int(entry_.name) != os.getpid():
        try:
            words = (entry_ / "cmdline").read_bytes()
            if b"bench.player" in words:
                os.sched_setaffinity(int(entry_.name), {0})
                os.setpriority(os.PRIO_PROCESS, int(entry_.name), 19)
        except OSError:
            pass


def load(op, **_):
    return entry(compute)
