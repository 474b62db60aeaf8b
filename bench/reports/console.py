# SPDX-License-Identifier: Apache-2.0
"""Sections as tables in a terminal; a record's text is never markup."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bench.record.tables import Section
from bench.reports.chart import plain

WIDEST = 240  # columns: a narrower terminal breaks lines, which reads better than cells of a letter
WORD_STYLE = {"FAST": "green", "SLOW": "red", "FASTER": "green", "SLOWER": "red", "NO": "red"}


def terminal() -> Console:
    """Standard output, wide enough for every table; colours only on a terminal without NO_COLOR."""
    return Console(highlight=False, width=max(Console().width, WIDEST))


def show(console: Console, heading: str, section: Section) -> None:
    """Print one section: its sentences, then its tables."""
    console.print(Text(heading, style="bold"))
    for one in section.sentences:
        console.print(Text(one.strong, style="bold"), Text(one.rest), soft_wrap=True)
    for table in section.tables:
        grid = Grid(title=Text(table.title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1))
        for column in table.head:
            grid.add_column(Text(column), overflow="fold")
        for row in table.rows:
            grid.add_row(*(Text(plain(cell, 200), WORD_STYLE.get(cell, "")) for cell in row))
        console.print(grid)
