# SPDX-License-Identifier: Apache-2.0
"""The environment variables of a player: a home of its own, and nothing of the judge's business."""

from __future__ import annotations

import os
from pathlib import Path

from bench.task.checkout import module_path

ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CXX",
    "VIRTUAL_ENV",
    "LANG",
    "LC_ALL",
)
"""What a player inherits."""


def player_environment(home: Path, threads: int) -> dict[str, str]:
    """All variables of a player whose private folder is `home`."""
    own = {"HOME": str(home), "TMPDIR": str(home), "OMP_NUM_THREADS": str(threads)}
    return {**_shared(), **own}


def server_environment() -> dict[str, str]:
    """All variables of a fork server, which must not start a second thread."""
    return {**_shared(), "OMP_NUM_THREADS": "1"}


def _shared() -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return {
        **inherited,
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": module_path(),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
