# SPDX-License-Identifier: Apache-2.0
"""Templates filled in: every text of a record is escaped, a page needs nothing but itself."""

from __future__ import annotations

from pathlib import Path

from bench.task.errors import UserError

TEMPLATES = Path(__file__).resolve().parent / "templates"


def fill(template: str, **values: object) -> str:
    """The page that a template makes of these values."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise UserError(
            "Jinja2: needed for pages, not installed; run make, or install what pyproject.toml"
            " lists as report"
        ) from None
    made = Environment(
        autoescape=True,
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = Markup((TEMPLATES / "page.css").read_text(encoding="utf-8"))
    made.filters["drawing"] = Markup  # a chart's SVG, which chart.py has escaped
    return made.get_template(template).render(style=style, **values)


def save(path: Path, page: str) -> None:
    """Write a page; UserError where that cannot be."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"--html: {path}: expected a place to write to, got: {error.strerror}; name another"
        ) from None
