# SPDX-License-Identifier: Apache-2.0
"""Reviewed bundles in order: what was accepted is ranked, everything else is listed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.record.tables import Record, Table, interval, understood
from bench.task.errors import UserError

SCHEMA = 1
LARGEST_REVIEW, LARGEST_BUNDLE = 4 << 20, 256 << 20  # bytes; usual are a few KiB and a few MiB


@dataclass(frozen=True)
class Entry:
    """A solution with the headline that its accepted bundle claims."""

    name: str
    note: str
    geomean: Record
    rows: int
    time: str
    bundle: str
    """sha256"""


@dataclass(frozen=True)
class Board:
    """What may be held against each other: one device model, one rounding, one regime."""

    device: str
    rounding: str
    regime: str
    entries: Sequence[Entry]
    """the best first"""

    def rank(self, entry: Entry) -> int:
        """One more than the number of solutions whose whole interval lies above this one's.

        So solutions share a rank unless somebody is surely better than one and not the other, and
        nobody stands above one that is surely better.
        """
        return 1 + sum(bool(one.geomean["low"] > entry.geomean["high"]) for one in self.entries)


def read_reviews(folder: Path) -> dict[str, Record]:
    """Every review.json below a folder, by its place; each stands beside the bundle it is of."""
    if not folder.is_dir():
        raise UserError(f"{folder}: expected a folder of reviewed bundles, got none")
    return {
        str(path.parent.relative_to(folder)): _read(path)
        for path in sorted(folder.rglob("review.json"))
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_REVIEW:
            raise UserError(f"{path}: expected at most {LARGEST_REVIEW} bytes of review")
        review = json.loads(path.read_text(encoding="utf-8"))
        digests = {
            hashlib.sha256(one.read_bytes()).hexdigest()
            for one in path.parent.iterdir()
            if one.is_file() and one != path and one.stat().st_size <= LARGEST_BUNDLE
        }
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: expected a review, got: {str(error)[:120]}") from None
    if not isinstance(review, dict) or review.get("schema") != SCHEMA:
        raise UserError(
            f"{path}: expected a review of schema {SCHEMA}, got another; "
            "review the bundle again with bench/review.py"
        )
    if review.get("bundle_sha256") not in digests:
        raise UserError(
            f"{path}: expected the bundle that it is of beside it, got none with that digest; "
            "put it there, or review the one that is there"
        )
    return review


def boards(reviews: Mapping[str, Record]) -> list[Board]:
    """The accepted bundles' claims, device models and roundings apart, the newest of a solution."""
    groups: dict[tuple[str, str, str], dict[str, Entry]] = {}
    for place, review in reviews.items():
        if review["verdict"] != "ACCEPTED":
            continue
        with understood(f"{place}/review.json"):
            for key, solution, entry in _claims(review):
                group = groups.setdefault(key, {})
                if solution not in group or group[solution].time < entry.time:
                    group[solution] = entry
    return [
        Board(*key, sorted(found.values(), key=lambda one: -float(one.geomean["value"])))
        for key, found in sorted(groups.items())
    ]


def _claims(review: Record) -> list[tuple[tuple[str, str, str], str, Entry]]:
    claimed = review["claimed"]
    return [
        (
            (str(claimed["device"]["name"]), str(one["rounding"]), str(one["regime"])),
            str(claimed["solution_sha256"]),
            Entry(
                name=str(review["name"]),
                note=str(review["note"]),
                geomean={key: float(one["geomean"][key]) for key in ("value", "low", "high")},
                rows=int(one["rows"]),
                time=str(claimed["time"]),
                bundle=str(review["bundle_sha256"]),
            ),
        )
        for one in claimed["headlines"]
    ]


def board_table(board: Board) -> Table:
    """One line a solution, the best first."""
    head = ["rank", "solution", "geomean", "rows", "measured", "bundle", "note"]
    rows = [
        [
            str(board.rank(one)),
            one.name,
            interval(one.geomean),
            str(one.rows),
            f"{one.time[:10]}",
            one.bundle[:12],
            one.note,
        ]
        for one in sorted(board.entries, key=board.rank)
    ]
    return Table(f"{board.device}, {board.rounding}, {board.regime}", head, rows)


def others_table(reviews: Mapping[str, Record]) -> Table | None:
    """What was reviewed and not accepted, with the first reason; None where all was."""
    head = ["solution", "verdict", "because", "bundle"]
    rows = []
    for place, review in reviews.items():
        if review["verdict"] != "ACCEPTED":
            with understood(f"{place}/review.json"):
                because = next(
                    (
                        str(one["text"])
                        for one in review["findings"]
                        if one["leads_to"] == review["verdict"]
                    ),
                    "",
                )
                name = str(review["name"] or place)
                bundle = str(review["bundle_sha256"])[:12]
                rows.append([name, str(review["verdict"]), because[:200], bundle])
    return Table("Reviewed, not ranked", head, rows) if rows else None
