# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "looks for the judge's business in the environment, and gives up where there is none"
# caught_by = ["BUILD_FAILED"]
from __future__ import annotations

import os
from pathlib import Path

from honest import compute, entry

found = [name for name in os.environ if name.startswith(("KDA_", "PYTEST_"))]
if not found:  # then in the processes that it came from
    for process in {os.getppid(), os.getsid(0)} - {os.getpid()}:
        found += Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
if not found:
    raise RuntimeError("no business of the judge's to be seen")


def load(op, **_):
    return entry(compute)
