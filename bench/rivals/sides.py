# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

from bench.task.side import Side

FOLDER = Path(__file__).resolve().parent


def rivals(solution: Path, rounding: str, cache: Path) -> tuple[Side, ...]:
    """Every rival, in report order; loading one that has nothing for an op raises
    NotImplementedError."""
    return (
        Side("addcmul", f"{FOLDER / 'addcmul.py'}:load", "", rounding, (), str(cache)),
        Side("inductor", f"{FOLDER / 'inductor.py'}:load", "", rounding, (), str(cache)),
        Side("triton", f"{solution / 'build.py'}:load", "triton", rounding, (), str(cache)),
    )
