# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "leaves a file in /tmp for a later process"
# caught_by = ["BUILD_FAILED", "CRASHED"]
from __future__ import annotations

from pathlib import Path

from honest import compute, entry

(Path("/tmp") / "left_by_a_cheater.py").write_text("kept = 1\n")


def load(op, **_):
    return entry(compute)
