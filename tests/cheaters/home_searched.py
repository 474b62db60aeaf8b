# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "leaves a note at home for a later process, and gives up where it finds none"
# caught_by = ["BUILD_FAILED"]
from __future__ import annotations

import tempfile
from pathlib import Path

from honest import compute, entry

notes = [Path(folder) / "note" for folder in (Path.home(), tempfile.gettempdir(), Path.cwd())]
found = [note for note in notes if note.exists()]
for note in notes:
    note.write_text("a process was here")
if not found:
    raise RuntimeError("nobody was here before")


def load(op, **_):
    return entry(compute)
