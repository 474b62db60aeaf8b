# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "runs a compiler and waits for it"
from __future__ import annotations

import subprocess

from honest import compute, entry


def load(op, **_):
    subprocess.run(["c++", "--version"], check=True, capture_output=True)
    return entry(compute)
