# SPDX-License-Identifier: Apache-2.0
# family = "A.1"
# does = "stops every other player with a signal whenever it pleases"
# caught_by = ["BUILD_FAILED", "CRASHED"]
# beside_baseline = true
from __future__ import annotations

import os
import signal
from pathlib import Path

from honest import compute, entry

for process in Path("/proc").glob("[0-9]*"):
    words = (process / "cmdline").read_bytes() if (process / "cmdline").exists() else b""
    if b"player" in words and int(process.name) != os.getpid():
        os.kill(int(process.name), signal.SIGCONT)


def load(op, **_):
    return entry(compute)
