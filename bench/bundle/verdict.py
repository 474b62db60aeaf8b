# SPDX-License-Identifier: Apache-2.0
"""What a review found, and the one verdict that follows from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from bench.bundle.agreement import Claim, Comparison

SCHEMA = 1
TEXT_MAX = 2000  # characters of one remark: a compiler says more


class Verdict(str, Enum):
    """The closed list of verdicts, the gravest last."""

    ACCEPTED = "ACCEPTED"
    NOT_VERIFIABLE_HERE = "NOT_VERIFIABLE_HERE"
    NOT_REPRODUCED = "NOT_REPRODUCED"
    REJECTED = "REJECTED"

    def __str__(self) -> str:
        return self.value


EXIT_CODE = {
    Verdict.ACCEPTED: 0,
    Verdict.REJECTED: 1,
    Verdict.NOT_REPRODUCED: 3,
    Verdict.NOT_VERIFIABLE_HERE: 4,
}


@dataclass(frozen=True)
class Remark:
    """One thing that a reviewer should know; ACCEPTED where it takes nothing away."""

    leads_to: Verdict
    stage: str
    """open, manifest, records, tree, statistics, build, correctness, timing"""
    text: str


@dataclass
class Review:
    """A review as it grows."""

    bundle_sha256: str | None = None
    """None where the file is too large to be read"""
    name: str | None = None
    note: str | None = None
    verified: list[str] = field(default_factory=list)
    """what was looked at and holds, in order"""
    remarks: list[Remark] = field(default_factory=list)
    claimed: dict[str, Any] | None = None
    claims: Sequence[Claim] = ()
    comparisons: list[Comparison] = field(default_factory=list)
    here: dict[str, Any] = field(default_factory=dict)
    """the reviewer's tree and device, the checks made here, their seed"""

    def add(self, leads_to: Verdict, stage: str, text: str) -> None:
        """Take a remark, as one line that no terminal obeys."""
        line = "".join(one if one.isprintable() else " " for one in text)[:TEXT_MAX]
        self.remarks.append(Remark(leads_to, stage, line))

    @property
    def verdict(self) -> Verdict:
        """The gravest that any remark leads to."""
        order = list(Verdict)
        return max((one.leads_to for one in self.remarks), key=order.index, default=order[0])

    @property
    def rejected(self) -> bool:
        """Whether nothing more can save it."""
        return self.verdict is Verdict.REJECTED

    def record(self) -> dict[str, Any]:
        """The contents of review.json."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict.value,
            "bundle_sha256": self.bundle_sha256,
            "name": self.name,
            "note": self.note,
            "findings": [
                {"leads_to": one.leads_to.value, "stage": one.stage, "text": one.text}
                for one in self.remarks
            ],
            "verified": self.verified,
            "claimed": self.claimed
            and {**self.claimed, "speedups": [dataclasses.asdict(one) for one in self.claims]},
            "comparisons": [one.record() for one in self.comparisons],
            "here": self.here,
        }
