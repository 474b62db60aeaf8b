# SPDX-License-Identifier: Apache-2.0
"""Where the judge's waiting went: what a player does not account for must be what a reference needs.

A player's clock is the player's own, and can be made to lie. The judge's clock cannot: from request
to reply it sees the sample, the warm calls before it, and the way there and back. Of the last the
baseline and the floors, which do not lie, tell how much it is. Time beyond it was spent and not
reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.judge.contenders import Contender, RowFailure
from bench.judge.verify import Finding
from bench.record.status import Status

TRUSTED = ("baseline", "stream", "empty")


@dataclass
class Accounts:
    """Collects every sample of a row; judges the least disturbed one of each contender."""

    warmup_calls: int
    warmup_us: float
    share: float
    """of the sample that may be missing"""
    _lost: dict[str, dict[Contender, list[tuple[float, float]]]] = field(default_factory=dict)
    """regime -> contender -> (microseconds not accounted for, microseconds reported)"""

    def add(self, regime: str, one: Contender, us: float, calls: int, wall_us: float) -> None:
        """Take the sample of `calls` calls that reported `us` in all."""
        warm_us = max(self.warmup_us, self.warmup_calls * us / calls)
        lost = self._lost.setdefault(regime, {}).setdefault(one, [])
        lost.append((wall_us - us - warm_us, us))

    def check(self, contenders: Iterable[Contender]) -> None:
        """End the row where even the least disturbed sample hides more than a reference's does."""
        judged = [one for one in contenders if one.side not in TRUSTED]
        for regime, lost in self._lost.items():
            allowed = max(min(lost[one])[0] for one in lost if one.side in TRUSTED)
            for one in judged:
                hidden, us = min(lost[one])
                if hidden > allowed + self.share * us:
                    text = (
                        f"{us:.1f} us in the {regime} regime leave {hidden:.1f} us of the judge's"
                        f" wait unexplained, where a reference needs {allowed:.1f} us"
                    )
                    raise RowFailure(one, Finding(Status.IMPOSSIBLE_TIME, text))
