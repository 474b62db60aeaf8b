# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]


def bench_records(records: Sequence[Record]) -> list[Record]:
    """The records of timed rows."""
    return [record for record in records if record["kind"] == "bench"]


def headline_regime(record: Record) -> Record:
    """A row in the regime that its device's headline is made of."""
    regimes: Record = record["regimes"]
    one: Record = regimes.get("call") or regimes["cold"]
    return one


def us(value: float) -> str:
    """Microseconds."""
    return f"{value:.2f}"


def interval(one: Record) -> str:
    """A ratio with its interval."""
    return f"{one['value']:.3f}x [{one['low']:.3f}, {one['high']:.3f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table's lines."""
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
