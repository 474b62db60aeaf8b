# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bench.task.parse import Range


@dataclass(frozen=True)
class Tolerance:
    """How far from the oracle an element may lie: atol + rtol * |expected|."""

    atol: Annotated[float, Range(0)]
    rtol: Annotated[float, Range(0)]
