# SPDX-License-Identifier: Apache-2.0
"""A side: baseline or solution, where its code is and how it is built; plain values that travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIDES = ("baseline", "solution")
"""Who is judged; floors and rivals take part and are not."""


@dataclass(frozen=True)
class Side:
    """One side as a player is told of it."""

    name: str
    """baseline or solution"""
    entry: str
    """absolute file, a colon, a function; `{op}` stands for the op's name"""
    language: str = ""
    """the back end: a folder of the solution"""
    rounding: str = ""
    flags: tuple[str, ...] = ()
    cache: str = ""
    """where builds are kept"""
    architecture: str = ""
    """what to build for where the device is not here: sm_90; empty: for the device"""

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> Side:
        """Rebuild a side from the message that carried it."""
        return Side(**{**values, "flags": tuple(values["flags"])})
