# SPDX-License-Identifier: Apache-2.0
"""This checkout: where it lies, and what a process needs to import it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def module_path() -> str:
    """PYTHONPATH of a process that imports this checkout, then what the user has on it."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
