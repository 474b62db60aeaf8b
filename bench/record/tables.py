# SPDX-License-Identifier: Apache-2.0
"""What a page shows, before anybody decides how it looks: sentences and tables of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.task.errors import UserError

Record = Mapping[str, Any]
NAMES = ("row", "solution")
"""Columns whose cells are names and are set as code."""


@dataclass(frozen=True)
class Table:
    """Cells are plain text, whatever a record holds; each renderer escapes them its own way."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Sentence:
    """Something that a reader must not miss, and what is to be said of it."""

    strong: str
    rest: str = ""


@dataclass(frozen=True)
class Section:
    """What is to be read of one results file."""

    sentences: Sequence[Sentence]
    tables: Sequence[Table]


@contextmanager
def understood(name: str) -> Iterator[None]:
    """A record that lacks or holds something else than what is read of it is a UserError."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{name}: expected records as docs/formats.md describes them, got one whose"
            f" {str(error)[:80]!r} cannot be read; was it written by another version?"
        ) from None


def bench_records(records: Sequence[Record]) -> list[Record]:
    """The records of timed rows."""
    return [record for record in records if record["kind"] == "bench"]


def roundings(records: Sequence[Record]) -> list[str]:
    """The solution's roundings that were timed, in the run's order."""
    return list(dict.fromkeys(record["rounding"] for record in bench_records(records)))


def workloads(records: Sequence[Record]) -> list[str]:
    """The rows that were timed, in the run's order."""
    return list(dict.fromkeys(record["workload"] for record in bench_records(records)))


def headline_regime(record: Record) -> Record:
    """A row in the regime that its device's headline is made of."""
    one: Record = record["regimes"][headline_regime_name(record)]
    return one


def headline_regime_name(record: Record) -> str:
    """The regime that its device's headline is made of."""
    return "call" if "call" in record["regimes"] else "cold"


def us(value: float) -> str:
    """Microseconds."""
    return f"{value:.2f}"


def interval(one: Record) -> str:
    """A ratio with its interval."""
    return f"{one['value']:.3f}x [{one['low']:.3f}, {one['high']:.3f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table's lines of cells that are Markdown already."""
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def markdown(one: Table) -> list[str]:
    """A table's lines, escaped, without its title."""
    rows = [
        [_cell(column, cell) for column, cell in zip(one.head, row, strict=True)]
        for row in one.rows
    ]
    return table(one.head, rows)


def _cell(column: str, text: str) -> str:
    """One line that stays in its cell, whatever a record says."""
    flat = " ".join(text.split()).replace("|", "\\|")
    if column in NAMES:
        return f"`{flat.replace('`', chr(39))}`"
    for mark in ("`", "*", "]("):
        flat = flat.replace(mark, f"{mark[:-1]}\\{mark[-1]}")
    return flat.replace("<", "&lt;")
