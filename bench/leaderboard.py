# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Rank the reviewed bundles of a folder: docs/leaderboard.md, and a page.

A folder below it holds one bundle and the review.json that bench/review.py wrote of it. Only
ACCEPTED bundles are ranked, by the geometric mean that they claim, device models and roundings
apart. A rank is one more than the number of solutions whose whole interval lies above: where
intervals overlap, ranks are shared. Of a solution handed in twice the newest run counts.
"""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.commandline import run_command
from bench.completion import parse
from bench.record.tables import Record, Section, Table, markdown
from bench.reports.chart import FIRST, plain
from bench.reports.console import show, terminal
from bench.reports.html import fill, save
from bench.reports.ranking import Board, board_table, boards, others_table, read_reviews
from bench.reports.speedups import Line, forest
from bench.task.checkout import ROOT

DOCUMENT = ROOT / "docs" / "leaderboard.md"
EXIT_CODES = """exit codes:
  0  shown, written, or up to date
  1  --check found a document that is not
  2  a review cannot be read, or its bundle is not beside it"""
CAUTION = (
    "Each line was measured by its submitter and measured again by a reviewer on a device of that"
    " model, not necessarily the same one. Solutions of one rank cannot be told apart."
)


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/leaderboard.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add(
        "folder",
        nargs="?",
        type=Path,
        default=ROOT / "results",
        help="folders of one reviewed bundle each (default: results/)",
    )
    add("--write", action="store_true", help="write docs/leaderboard.md")
    add("--check", action="store_true", help="only say whether it is up to date")
    add("--html", type=Path, metavar="FILE", help="write the page there")
    add("--json", action="store_true", help="print one JSON object, not tables")
    return one


def main(argv: Sequence[str] | None = None) -> int:
    """Read, rank, then compare, write or show."""
    arguments = parse(parser(), argv)
    reviews = read_reviews(arguments.folder)
    found = boards(reviews)
    if arguments.check:
        stale = DOCUMENT.read_text(encoding="utf-8") != document(reviews, found)
        if stale:
            print("docs/leaderboard.md is not up to date; run: python bench/leaderboard.py --write")
        return int(stale)
    if arguments.write:
        DOCUMENT.write_text(document(reviews, found), encoding="utf-8")
    if arguments.html:
        save(arguments.html, page(reviews, found))
    if arguments.json:
        print(json.dumps([_plain(board) for board in found], indent=2))
    elif not (arguments.write or arguments.html):
        show(terminal(), "Leaderboard", Section([], _tables(reviews, found)))
    return 0


def _tables(reviews: Mapping[str, Record], found: Sequence[Board]) -> list[Table]:
    others = others_table(reviews)
    return [*map(board_table, found), *([others] if others else [])]


def _plain(board: Board) -> dict[str, object]:
    ranks = [{"rank": board.rank(one), **dataclasses.asdict(one)} for one in board.entries]
    return {**dataclasses.asdict(board), "entries": ranks}


def document(reviews: Mapping[str, Record], found: Sequence[Board]) -> str:
    """docs/leaderboard.md."""
    lines = [
        "# Which solution is the fastest?",
        "",
        "Generated from the reviewed bundles in `results/` by"
        " `python bench/leaderboard.py --write`; do not edit.",
        "",
        CAUTION if found else "No bundle has been accepted yet.",
        "",
    ]
    for table in _tables(reviews, found):
        lines += [f"## {plain(table.title, 200)}", "", *markdown(table), ""]
    return "\n".join(lines)


def page(reviews: Mapping[str, Record], found: Sequence[Board]) -> str:
    """The same as one HTML page, with a plot a board."""
    shown = []
    for number, board in enumerate(found, start=1):
        lines = [
            Line(f"{board.rank(one)} {plain(one.name, 40)}", [(board.rounding, one.geomean)])
            for one in sorted(board.entries, key=board.rank)
        ]
        caption = "The number is the rank. Where intervals overlap, ranks are shared."
        name = f"board-{number}"
        marks = {board.rounding: (FIRST, "o")}
        chart = forest(lines, marks, f"{name}-ranks", "Geometric means", caption)
        shown.append({"name": name, "table": board_table(board), "chart": chart})
    return fill("leaderboard.html", boards=shown, others=others_table(reviews), caution=CAUTION)


if __name__ == "__main__":
    run_command(main)
