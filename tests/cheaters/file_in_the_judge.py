# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "plants a module among the judge's own"
# caught_by = ["BUILD_FAILED", "CRASHED"]
from __future__ import annotations

import sys
from pathlib import Path

from honest import compute, entry

folder = Path(sys.modules["bench"].__file__).parent / "judge"
(folder / "left_by_a_cheater.py").write_text("kept = 1\n")


def load(op, **_):
    return entry(compute)
