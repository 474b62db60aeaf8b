# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "plants a library among the floors' builds, for the judge to load"
# caught_by = ["BUILD_FAILED", "CRASHED"]
from __future__ import annotations

import sys
from pathlib import Path

from honest import compute, entry

builds = Path(sys.modules["bench"].__file__).parents[1] / ".cache" / "builds" / "floor"
builds.mkdir(parents=True, exist_ok=True)
(builds / "planted.so").write_bytes(b"")


def load(op, **_):
    return entry(compute)
