# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "leaves a note in memory shared with whoever forked it, and gives up where it finds none"
# caught_by = ["BUILD_FAILED"]
# devices = ["cpu"]
from __future__ import annotations

import ctypes
from pathlib import Path

from honest import compute, entry

NOTE = b"a process was here"
found = []
for line in Path("/proc/self/maps").read_text().splitlines():
    if line.split()[1] == "rw-s" and "memfd:case" not in line:
        start = int(line.partition("-")[0], 16)
        found.append(ctypes.string_at(start, len(NOTE)) == NOTE)
        ctypes.memmove(start, NOTE, len(NOTE))
if not any(found):
    raise RuntimeError("nobody was here before")


def load(op, **_):
    return entry(compute)
