# SPDX-License-Identifier: Apache-2.0
"""How the judge itself did: cheaters caught, mutants killed, false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.record.tables import Section, Sentence, Table
from bench.reports.chart import plain
from bench.threats.table import WORDS, read_report, verdict


def gauntlet_section(paths: Sequence[Path]) -> Section | None:
    """The score on each device, and what caught each case; None where there is no report."""
    records = [record for path in paths for record in read_report(path)]
    if not records:
        return None
    devices = list(dict.fromkeys(one["device"] for one in records))
    sentences = [
        Sentence(
            f"{plain(device)}: {_score([one for one in records if one['device'] == device])}.",
            "Every case ended as it should."
            if verdict([one for one in records if one["device"] == device])
            else "NOT every case ended as it should.",
        )
        for device in devices
    ]
    head = ["device", "case", "what it does", "ended as", "as it should"]
    rows = [
        [
            one["device"],
            f"{one['kind']}/{one['name']}",
            one["does"],
            f"{one['status']} {one['defence']}".strip(),
            "yes" if one["good"] else "NO",
        ]
        for one in records
    ]
    return Section(sentences, [Table("Cases", head, rows)])


def _score(records: Sequence[dict[str, Any]]) -> str:
    parts = []
    for kind, (words, of_good) in WORDS.items():
        mine = [one for one in records if one["kind"] == kind]
        if mine:
            parts.append(f"{words} {sum(one['good'] is of_good for one in mine)}/{len(mine)}")
    return ", ".join(parts)
