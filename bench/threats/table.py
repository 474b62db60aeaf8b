# SPDX-License-Identifier: Apache-2.0
"""Outcomes as records, counts and the document's table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.task.errors import UserError

BEGIN, END = "<!-- gauntlet: begin -->", "<!-- gauntlet: end -->"
WORDS = {
    "cheaters": ("cheaters caught", True),
    "mutants": ("mutants killed", True),
    "benign": ("false alarms", False),
}


def counts(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """`cheaters caught 41/41`, kind by kind, and which defence caught how many."""
    lines = []
    for kind, (words, of_good) in WORDS.items():
        of_kind = [one for one in records if one["kind"] == kind]
        if of_kind:
            number = sum(one["good"] is of_good for one in of_kind)
            by = Counter(f"{one['status']} {one['defence']}".strip() for one in of_kind)
            caught = ", ".join(f"{how} {n}" for how, n in by.most_common())
            lines.append(f"{words} {number}/{len(of_kind)}  ({caught})")
    return lines


def verdict(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every case ended as it should; False where none ran."""
    return bool(records) and all(one["good"] for one in records)


def read_report(path: Path) -> list[dict[str, Any]]:
    """The outcomes of a report file."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: expected a report of the gauntlet, got: {error}") from None


def table(records: Sequence[Mapping[str, Any]]) -> str:
    """Every case once, what it does, and what caught it on each device."""
    devices = list(dict.fromkeys(one["device"] for one in records))
    lines = [f"{device}: {'; '.join(counts(_of(records, device)))}" for device in devices]
    head = ["Case", "Language", "Family", "What it does", *devices]
    rows = [head, ["---"] * len(head)]
    for kind, name in dict.fromkeys((one["kind"], one["name"]) for one in records):
        mine = {one["device"]: one for one in records if (one["kind"], one["name"]) == (kind, name)}
        any_one = next(iter(mine.values()))
        caught = [_caught(mine[device]) if device in mine else "-" for device in devices]
        what = [f"{kind}/{name}", any_one["language"], any_one["family"], any_one["does"]]
        rows.append(what + caught)
    return "\n\n".join(lines) + "\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def write_table(document: Path, reports: Sequence[Path]) -> None:
    """Put the table of these reports between the document's two marks."""
    records = [record for path in reports for record in read_report(path)]
    text = document.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{document}: expected the marks {BEGIN} and {END}, got none")
    document.write_text(f"{before}{BEGIN}\n{table(records)}\n{END}{after}", encoding="utf-8")


def _of(records: Sequence[Mapping[str, Any]], device: str) -> list[Mapping[str, Any]]:
    return [one for one in records if one["device"] == device]


def _caught(record: Mapping[str, Any]) -> str:
    how = f"{record['status']} {record['defence']}".strip()
    return how if record["good"] else f"**{how}**"
