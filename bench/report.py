# SPDX-License-Identifier: Apache-2.0
"""Write what people read of the committed results: docs/results.md and the table in README.md."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.commandline import run_command
from bench.record.render import BEGIN, END, readme_table, results_page
from bench.record.results import read_results
from bench.run import ROOT
from bench.task.errors import UserError


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/report.py",
        description=__doc__,
        epilog="exit codes:\n  0  written, or up to date\n  1  --check found a document that is not"
        "\n  2  a results file cannot be read",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=ROOT / "results",
        help="results files, *.jsonl (default: results/)",
    )
    one.add_argument("--write", action="store_true", help="write the documents (default: print)")
    one.add_argument("--check", action="store_true", help="only say whether they are up to date")
    return one


def documents(folder: Path) -> dict[Path, str]:
    """Each generated document with the text it should have."""
    files = {path.name: read_results(path) for path in sorted(folder.glob("*.jsonl"))}
    if not files:
        raise UserError(f"{folder}: expected results files, *.jsonl, got none; run the benchmark")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = readme_table(files)
    return {
        ROOT / "docs" / "results.md": results_page(files),
        ROOT / "README.md": f"{before}{BEGIN}\n{table}{END}{after}",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Render, then write, compare or print."""
    arguments = parser().parse_args(argv)
    texts = documents(arguments.folder)
    if arguments.check:
        stale = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not up to date; run: python bench/report.py --write"
            )
        return 1 if stale else 0
    if not arguments.write:
        sys.stdout.write(texts[ROOT / "docs" / "results.md"])
        return 0
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    run_command(main)
