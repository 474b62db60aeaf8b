# SPDX-License-Identifier: Apache-2.0
"""A claimed speedup against a measured one, interval against interval."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.judge.contenders import HEADLINE
from bench.timing.statistics import LARGEST_NOISE, Interval

Record = Mapping[str, Any]
WHOLE = "headline"
# How far above a measurement on another device of its model a claim may lie: of two H200s one read
# 1.4 to 1.9 % less on four rows, with null controls of 0.3 %.
OTHER_DEVICE = 0.03


@dataclass(frozen=True)
class Claim:
    """One speedup in the headline's regime: a row's, or the headline itself."""

    what: str
    """a row's id, or `headline`"""
    rounding: str
    speedup: Interval
    noise: float
    """of the null control: distance from 1"""


@dataclass(frozen=True)
class Comparison:
    """A claim beside what was measured of it here."""

    what: str
    rounding: str
    claimed: Interval
    measured: Interval
    margin: float
    """by which both intervals are widened: they cover one session of one machine each"""

    @property
    def reproduced(self) -> bool:
        """Whether the claim is not wholly above what was measured."""
        return self.claimed.low <= self.measured.high * (1 + self.margin)

    @property
    def surpassed(self) -> bool:
        """Whether the claim is wholly below what was measured."""
        return self.claimed.high * (1 + self.margin) < self.measured.low

    def record(self) -> dict[str, Any]:
        """The comparison as a part of a review."""
        verdicts = {"reproduced": self.reproduced, "surpassed": self.surpassed}
        return {**dataclasses.asdict(self), **verdicts}


def claims(records: Sequence[Record]) -> list[Claim]:
    """The headlines of a complete results file, then its rows."""
    regime = HEADLINE[records[0]["provenance"]["device"]["type"]]
    found = [
        Claim(WHOLE, one["rounding"], Interval(**one["geomean"]), one["noise"])
        for one in records[-1]["headlines"]
    ]
    for record in records:
        if record["kind"] == "bench":
            one = record["regimes"][regime]
            speedup = Interval(**one["speedup"])
            found.append(Claim(record["workload"], record["rounding"], speedup, one["noise"]))
    return found


def compare_claims(
    claimed: Sequence[Claim], measured: Sequence[Claim], least_margin: float
) -> Iterator[Comparison]:
    """Each claim beside its measurement; the margin is the larger noise, within its bounds."""
    found = {(one.what, one.rounding): one for one in measured}
    for claim in claimed:
        here = found[claim.what, claim.rounding]
        noise = min(max(claim.noise, here.noise), LARGEST_NOISE)
        yield Comparison(
            claim.what, claim.rounding, claim.speedup, here.speedup, max(noise, least_margin)
        )
