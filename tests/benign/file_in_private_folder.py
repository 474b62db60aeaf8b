# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "keeps a table in its own temporary folder and cache"
from __future__ import annotations

import tempfile
from pathlib import Path

from honest import compute, entry


def load(op, *, cache, **_):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table").write_text("kept while loading")
    Path(cache).mkdir(parents=True, exist_ok=True)
    (Path(cache) / "table").write_text("kept")
    (Path.home() / ".table").write_text("kept")
    return entry(compute)
