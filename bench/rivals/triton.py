# SPDX-License-Identifier: Apache-2.0
"""The solution's own Triton back end, whichever back end the run judges."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

BUILD = Path(__file__).resolve().parents[2] / "solution" / "build.py"


def load(op: str, **options: object) -> SimpleNamespace:
    """Load solution/triton/<op>.py as the solution itself would."""
    # By path and only in this rival's own process: no module of bench depends on the solution.
    load_solution = runpy.run_path(str(BUILD))["load"]
    entry = load_solution(op, **{**options, "language": "triton"})
    return SimpleNamespace(call=entry.call, plan=entry.plan)
