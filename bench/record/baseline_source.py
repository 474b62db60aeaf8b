# SPDX-License-Identifier: Apache-2.0
"""Render the baseline's lineage: `python -m bench.record.baseline_source`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
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

Each baseline is the PyTorch eager code that production runs, with its intermediate result cached,
so that a timed call launches kernels and allocates nothing. It is written after the model code of
[{repository}](https://github.com/{repository}) ({license}), branch `{branch}` at
`{commit}`, folder `{folder}/`.
Nothing of upstream is imported, patched or copied at run time.

Generated from `baseline/UPSTREAM.toml` and the files it names by
`python -m bench.record.baseline_source`.
"""


@dataclass(frozen=True)
class Origin:
    """[upstream]"""

    repository: str
    branch: str
    commit: str
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
    launches: int
    rounding: str
    site: tuple[Site, ...]


@dataclass(frozen=True)
class Lineage:
    """The whole of UPSTREAM.toml."""

    upstream: Origin
    op: tuple[Source, ...]


def load_lineage(root: Path) -> Lineage:
    """Read and check UPSTREAM.toml."""
    return Parser(UPSTREAM.name, ConfigError).table(Lineage, read_toml(root / UPSTREAM))


def render(root: Path) -> str:
    """The document, from UPSTREAM.toml and the baseline's own files."""
    lineage = load_lineage(root)
    return OPENING.format(**vars(lineage.upstream)) + "\n".join(_ops(root, lineage))


def _ops(root: Path, lineage: Lineage) -> Iterator[str]:
    origin = lineage.upstream
    link = f"https://github.com/{origin.repository}/blob/{origin.commit}/{origin.folder}"
    for op in lineage.op:
        yield from ("", f"## {op.name}", "")
        yield f"Launches a call: {op.launches}. {op.rounding}"
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
