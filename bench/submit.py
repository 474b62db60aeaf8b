# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Pack solution/, its results and its checks into one bundle, if they are fit to be handed in."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bench.bundle.archive import write_archive
from bench.bundle.files import collect_solution, read_file
from bench.bundle.inspection import MALFORMED
from bench.bundle.manifest import Label, digest, manifest
from bench.bundle.members import CHECKS, MANIFEST, RESULTS, BundleError
from bench.bundle.recompute import Recomputation
from bench.bundle.requirements import (
    BENCHMARK,
    CORRECTNESS,
    Records,
    benchmark_shortfalls,
    correctness_shortfalls,
)
from bench.bundle.tree_match import Tree
from bench.commandline import run_command
from bench.completion import parse
from bench.record.results import parse_results
from bench.task.checkout import ROOT
from bench.task.errors import UserError

EPILOG = """The same solution, results and checks give the same bytes. How to make them, and what
becomes of a bundle: docs/submitting.md.

exit codes:
  0  the bundle is written
  2  something is not fit to be handed in: one sentence, and the command to run"""


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/submit.py",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add("--name", required=True, metavar="NAME", help="what to call it: lower-case letters, . _ -")
    add("--note", default="", metavar="TEXT", help="one line on what was done (default: none)")
    add(
        "--results",
        type=Path,
        default=Path("results.jsonl"),
        metavar="FILE",
        help="what bench/benchmark.py wrote (default: results.jsonl)",
    )
    add(
        "--checks",
        type=Path,
        default=Path("correctness.jsonl"),
        metavar="FILE",
        help="what bench/correctness.py --report wrote (default: correctness.jsonl)",
    )
    add("--out", type=Path, metavar="FILE", help="the bundle (default: NAME.tar)")
    add("--json", action="store_true", help="print one JSON object, not lines")
    return one


def pack(label: Label, results: Path, checks: Path) -> bytes:
    """The bundle of this checkout's solution/; UserError or BundleError for what is not fit."""
    folder = ROOT / "solution"
    members = collect_solution(folder)
    for path, command in ((results, BENCHMARK), (checks, CORRECTNESS)):
        if not path.exists():
            raise UserError(f"{path}: expected the file of a run, got none; run: {command}")
    members |= {RESULTS: read_file(results), CHECKS: read_file(checks)}
    records, found = (
        parse_results(str(path), members[name])
        for path, name in ((results, RESULTS), (checks, CHECKS))
    )
    _require_fit(records, found, Tree.of(ROOT, folder))
    members[MANIFEST] = manifest(label, members, records[0])
    return write_archive(members)


def _require_fit(results: Records, checks: Records, tree: Tree) -> None:
    """UserError with the first shortfall, by the rules that a review applies."""
    try:
        for shortfall in benchmark_shortfalls(results, tree):
            raise UserError(str(shortfall))
        for shortfall in correctness_shortfalls(checks, results, tree):
            raise UserError(str(shortfall))
        Recomputation(tree.config_of(results[0]), results).check(tree.rows)
    except MALFORMED as error:
        raise UserError(
            f"results, checks: not of the form that the judge writes: {error!r:.200};"
            f" run: {BENCHMARK}"
        ) from None


def main(argv: Sequence[str] | None = None) -> int:
    """Check, pack, write."""
    arguments = parse(parser(), argv)
    try:
        label = Label(arguments.name, arguments.note)
        content = pack(label, arguments.results, arguments.checks)
    except BundleError as error:
        raise UserError(f"{error}; see docs/submitting.md") from None
    out = arguments.out or Path(f"{label.name}.tar")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(content)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}; name another --out") from None
    written = {"bundle": str(out), "bytes": len(content), "sha256": digest(content)}
    if arguments.json:
        print(json.dumps(written))
    else:
        print(f"{out}: {len(content)} bytes, sha256 {written['sha256']}")
        print(f"look at it as a reviewer will: python bench/review.py {out}")
    return 0


if __name__ == "__main__":
    run_command(main)
