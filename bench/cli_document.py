# SPDX-License-Identifier: Apache-2.0
"""Write docs/cli.md: the help text of every command, word for word."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import contextlib
import io
import os
import runpy
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from bench.task.checkout import ROOT

DOCUMENT = Path("docs") / "cli.md"
COLUMNS = "96"  # the document's width in a terminal of any width
HEAD = """# Commands

*Which commands are there, and what does each flag do?*

The text below is what `--help` prints. `python -m bench.cli_document` writes it; a test compares.
Every command runs from the root of the checkout, as a script or as a module
(`python bench/benchmark.py`, `python -m bench.benchmark`). After `make bench` or `make test`,
`.venv/bin/python` is the Python that has what they need. A wrong request is one sentence on the
error stream and exit code 2. Ctrl-C is exit code 130.
"""


def commands(root: Path) -> list[str]:
    """The module name of every command in bench/, in the order of their paths."""
    names = []
    for file in sorted((root / "bench").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        # One without flags is a process that another command starts.
        if "import argparse" in text and 'if __name__ == "__main__":' in text:
            names.append(".".join(file.relative_to(root).with_suffix("").parts))
    return names


def help_text(module: str) -> str:
    """What a command prints for --help."""
    text = io.StringIO()
    environment = {"COLUMNS": COLUMNS, "NO_COLOR": "1", "TERM": "dumb"}
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.object(sys, "argv", [module, "--help"]),
        contextlib.redirect_stdout(text),
        contextlib.suppress(SystemExit),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)  # some are imported already: no matter
        runpy.run_module(module, run_name="__main__")
    return text.getvalue().strip()


def render(root: Path) -> str:
    """The whole document."""
    return "\n".join(_lines(root))


def _lines(root: Path) -> Iterator[str]:
    yield HEAD
    for module in commands(root):
        text = help_text(module)
        name = text.removeprefix("usage: ").partition(" [")[0]
        yield from (f"## `{name}`", "", "```text", text, "```", "")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the document."""
    parser = argparse.ArgumentParser(prog="python -m bench.cli_document", description=__doc__)
    parser.parse_args(argv)
    (ROOT / DOCUMENT).write_text(render(ROOT), encoding="utf-8")
    print(f"wrote {DOCUMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
