# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Show what results files say: in the terminal, in the documents, and as one HTML page.

Nothing is measured and nothing asked of the network. The documents are docs/results.md and the
table in README.md; the page needs no other file.
"""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from bench.completion import parse, run_command
from bench.record.pages import section
from bench.record.render import BEGIN, END, Files, readme_table, results_page
from bench.record.results import read_results
from bench.record.tables import understood
from bench.reports.console import show, terminal
from bench.reports.html import save
from bench.reports.page import report_page
from bench.task.checkout import ROOT
from bench.task.errors import UserError


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/report.py",
        description=__doc__,
        epilog="exit codes:\n  0  shown, written, or up to date\n  1  --check found a document"
        " that is not\n  2  a results file cannot be read",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add(
        "folder",
        nargs="?",
        type=Path,
        default=ROOT / "results",
        help="results files, *.jsonl, or one of them (default: results/)",
    )
    add("--write", action="store_true", help="write the documents")
    add("--check", action="store_true", help="only say whether the documents are up to date")
    add("--html", type=Path, metavar="FILE", help="write the page there")
    add(
        "--gauntlet",
        type=Path,
        nargs="*",
        metavar="FILE",
        help="reports of the gauntlet for the page (default: docs/gauntlet_*.jsonl)",
    )
    add("--json", action="store_true", help="print one JSON object, not tables")
    return one


def read_all(place: Path) -> Files:
    """Every results file of a folder, or the one file, verified; UserError where there is none."""
    paths = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
    files = {path.name: read_results(path) for path in paths}
    if not files:
        raise UserError(f"{place}: expected results files, *.jsonl, got none; run the benchmark")
    return files


def documents(files: Files) -> dict[Path, str]:
    """Each generated document with the text it should have."""
    with understood("results"):
        table, page = readme_table(files), results_page(files)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return {
        ROOT / "docs" / "results.md": page,
        ROOT / "README.md": f"{before}{BEGIN}\n{table}{END}{after}",
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Read, then compare, write or show."""
    arguments = parse(parser(), argv)
    files = read_all(arguments.folder)
    if arguments.check:
        texts = documents(files)
        stale = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not up to date; run: python bench/report.py --write"
            )
        return 1 if stale else 0
    if arguments.write:
        for path, text in documents(files).items():
            path.write_text(text, encoding="utf-8")
    if arguments.html:
        gauntlet = arguments.gauntlet
        if gauntlet is None:
            gauntlet = sorted((ROOT / "docs").glob("gauntlet_*.jsonl"))
        save(arguments.html, report_page(files, gauntlet))
    if arguments.json or not (arguments.write or arguments.html):
        _print(files, as_json=arguments.json)
    return 0


def _print(files: Files, *, as_json: bool) -> None:
    found = {}
    for name, records in files.items():
        with understood(name):
            one = section(records)
        if one is not None:
            found[name] = one
    if as_json:
        print(json.dumps({name: dataclasses.asdict(one) for name, one in found.items()}, indent=2))
        return
    for name, one in found.items():
        show(terminal(), name, one)


if __name__ == "__main__":
    run_command(main)
