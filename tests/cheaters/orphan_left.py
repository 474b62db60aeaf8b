# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "leaves a process behind that outlives its own"
# caught_by = ["LEFT_BEHIND"]
from __future__ import annotations

import subprocess

from honest import compute, entry

subprocess.Popen(["sleep", "100"], start_new_session=True)


def load(op, **_):
    return entry(compute)
