# SPDX-License-Identifier: Apache-2.0
"""Render the baseline's lineage: `python -m bench.record.baseline_source`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.task.config import read_toml
from bench.task.errors import ConfigError, UserError
from bench.task.parse import Parser

UPSTREAM = Path("baseline/UPSTREAM.toml")
DOCUMENT = Path("docs/baseline_source.md")
OPENING = """\
# Baseline source

What does the solution have to beat, and where does that come from?

Each baseline is the PyTorch eager code that production runs, written after the model code of the
repositories below. Its last result is written where the call wants it. Intermediate results are
cached, or come from torch's allocator as in production. Nothing of upstream is imported, patched or
copied at run time.

| Upstream | Revision | Folder | License |
|---|---|---|---|
{origins}

Generated from `baseline/UPSTREAM.toml` and the files it names by
`python -m bench.record.baseline_source`.
"""


@dataclass(frozen=True)
class Origin:
    """[upstream.NAME]"""

    repository: str
    revision: str
    """a commit or a tag"""
    folder: str
    license: str


@dataclass(frozen=True)
class Site:
    """[[op.site]]: one place upstream that computes the op."""

    file: str
    what: str


@dataclass(frozen=True)
class Source:
    """[[op]]"""

    name: str
    upstream: str
    launches: int
    allocates: bool
    """intermediate results, from torch's allocator"""
    rounding: str
    site: tuple[Site, ...]


@dataclass(frozen=True)
class Lineage:
    """The whole of UPSTREAM.toml."""

    upstream: Mapping[str, Origin]
    op: tuple[Source, ...]


def load_lineage(root: Path) -> Lineage:
    """Read and check UPSTREAM.toml."""
    return Parser(UPSTREAM.name, ConfigError).table(Lineage, read_toml(root / UPSTREAM))


def render(root: Path) -> str:
    """The document, from UPSTREAM.toml and the baseline's own files."""
    lineage = load_lineage(root)
    origins = "\n".join(
        f"| [{one.repository}](https://github.com/{one.repository}) | `{one.revision}` |"
        f" `{one.folder}/` | {one.license} |"
        for one in lineage.upstream.values()
    )
    return OPENING.format(origins=origins) + "\n".join(_ops(root, lineage))


def _ops(root: Path, lineage: Lineage) -> Iterator[str]:
    for op in lineage.op:
        origin = lineage.upstream[op.upstream]
        link = f"https://github.com/{origin.repository}/blob/{origin.revision}/{origin.folder}"
        yield from ("", f"## {op.name}", "")
        allocates = " It allocates what lies between them." if op.allocates else ""
        yield f"Launches a call: {op.launches}.{allocates} {op.rounding}"
        yield from ("", "| Upstream | What it computes there |", "|---|---|")
        yield from (f"| [`{site.file}`]({link}/{site.file}) | {site.what} |" for site in op.site)
        yield from ("", f"`baseline/{op.name}.py`:", "", "```python")
        yield _code(root / "baseline" / f"{op.name}.py")
        yield "```"
    yield ""


def _code(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {UPSTREAM} names this op: {error.strerror}") from None
    return text[text.index("import torch") :].strip()


def main(arguments: list[str] | None = None) -> int:
    """Write the document."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.record.baseline_source", description=__doc__
    )
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout; %(default)s")
    root = parser.parse_args(arguments).root
    try:
        text = render(root)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    (root / DOCUMENT).write_text(text, encoding="utf-8")
    print(f"wrote {DOCUMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
