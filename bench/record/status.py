# SPDX-License-Identifier: Apache-2.0
"""How a check or a row ended."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """The closed list of endings: PASSED, or the one reason why not."""

    PASSED = "PASSED"
    INCORRECT = "INCORRECT"
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    BUILD_FAILED = "BUILD_FAILED"
    REJECTED_INPUT = "REJECTED_INPUT"
    CRASHED = "CRASHED"
    TIMED_OUT = "TIMED_OUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    GUARD_OVERWRITTEN = "GUARD_OVERWRITTEN"
    INPUT_MODIFIED = "INPUT_MODIFIED"
    LATE_WRITE = "LATE_WRITE"
    IMPOSSIBLE_TIME = "IMPOSSIBLE_TIME"
    PROTOCOL_ERROR = "PROTOCOL_ERROR"
    LEFT_BEHIND = "LEFT_BEHIND"
    NOT_RUN = "NOT_RUN"

    def __str__(self) -> str:
        return self.value
