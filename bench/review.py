# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""Say whether a bundle of unknown origin is what it claims to be, and write that down."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.bundle.comment import comment
from bench.bundle.inspection import Inspected, inspect
from bench.bundle.rerun import weigh_benchmark, weigh_checks, weigh_compiled
from bench.bundle.verdict import EXIT_CODE, Review, Verdict
from bench.commandline import run_command
from bench.completion import parse
from bench.judge.absent_device import absent_sides, check_absent_device
from bench.judge.build import build_all
from bench.judge.checker import Check
from bench.ops import OPS
from bench.record.results import read_results
from bench.record.toolchain import find_nvcc
from bench.task.checkout import ROOT, module_path
from bench.task.device import resolve_device
from bench.task.errors import UserError

EPILOG = """Stages: the archive, the manifest, schema and chain of the records, this repository's
digests, every statistic made anew from raw samples; then the solution is built in a clean process
and checked on inputs that nobody knows, and, on a device of the claimed model, timed.

exit codes:
  0  ACCEPTED: everything was verified here, the times too
  1  REJECTED: the bundle or the solution breaks a rule
  2  the request cannot be carried out
  3  NOT_REPRODUCED: less was measured here than is claimed
  4  NOT_VERIFIABLE_HERE: what could be verified here holds, but not all could"""


def parser() -> argparse.ArgumentParser:
    """The command's flags."""
    one = argparse.ArgumentParser(
        prog="bench/review.py",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = one.add_argument
    add("bundle", type=Path, metavar="BUNDLE", help="the file that bench/submit.py wrote")
    add(
        "--out",
        type=Path,
        default=Path("review"),
        metavar="FOLDER",
        help="where review.json and comment.md go (default: review/)",
    )
    add(
        "--device", metavar="DEVICE", help="cpu, cuda or cuda:N (default: a claimed CPU's or GPU's)"
    )
    add("--pick-idle-gpu", action="store_true", help="take a GPU on which no process runs, by UUID")
    add("--full", action="store_true", help="all checks (default: every eighth point of the grid)")
    add("--no-benchmark", action="store_true", help="leave the timing out: never ACCEPTED")
    add(
        "--secret-seed",
        type=int,
        metavar="NUMBER",
        help="repeat a review's inputs; its number is in review.json (default: drawn anew)",
    )
    add("--json", action="store_true", help="print review.json, and progress on the error stream")
    return one


class Reviewer:
    """Runs the judge's own commands on an unpacked solution, each in a process of its own."""

    def __init__(self, arguments: argparse.Namespace, inspected: Inspected, review: Review) -> None:
        self._arguments = arguments
        self._inspected = inspected
        self._review = review
        claimed = review.claimed
        assert claimed is not None
        self._claimed: dict[str, Any] = claimed["device"]
        self._roundings: list[str] = claimed["roundings"]

    def run(self) -> None:
        """Check, compile, time; each as far as this machine can and as nothing has failed yet."""
        quick = [] if self._arguments.full else ["--quick"]
        checks = self._command("correctness", "--report", [*quick, *self._seed()])
        here = checks[0]["provenance"]["device"]
        self._review.here = {
            "time": checks[0]["time"],
            "device": here,
            "versions": checks[0]["provenance"]["versions"],
            "revision": checks[0]["provenance"]["git"]["revision"],
            "tree_sha256": dict(self._inspected.tree.digests),
        }
        weigh_checks(checks, self._review)
        if here["type"] == "cpu" and self._claimed["type"] == "cuda":
            self._compile()
        if not self._review.rejected:
            self._time(here)

    def _compile(self) -> None:
        """The claimed back end, which this machine cannot run."""
        if find_nvcc() is None:
            text = "nvcc is not here: the CUDA sources were not compiled"
            self._review.add(Verdict.NOT_VERIFIABLE_HERE, "build", text)
            return
        config, folder = self._inspected.tree.config, self._inspected.folder
        architecture = "sm_" + str(self._claimed["compute_capability"]).replace(".", "")
        ops, found = [OPS[name] for name in config.task.ops], list[Check]()
        sides = absent_sides(config, folder, folder / "cache", self._roundings, architecture)
        build_all(sides, ops, resolve_device("cpu"), config)
        for side in sides:
            check_absent_device(side, ops, config.correctness, found.append)
        weigh_compiled(found, architecture, self._review)

    def _time(self, here: dict[str, Any]) -> None:
        claimed = f"{self._claimed['name']}"
        if here["type"] != self._claimed["type"] or here["name"] != claimed:
            text = f"claimed on {claimed}, here is {here['name']}: times were not measured"
            self._review.add(Verdict.NOT_VERIFIABLE_HERE, "timing", text)
        elif self._arguments.no_benchmark:
            text = "times were not measured, as was asked"
            self._review.add(Verdict.NOT_VERIFIABLE_HERE, "timing", text)
        else:
            records = self._command("benchmark", "--out", self._seed())
            same_within = self._inspected.tree.config.benchmark.same_within
            weigh_benchmark(records, self._review, same_within, self._show)

    def _command(self, command: str, file_flag: str, more: Sequence[str]) -> list[dict[str, Any]]:
        """One of the judge's commands on the unpacked solution, with a build cache of its own."""
        folder, arguments = self._inspected.folder, self._arguments
        report = folder / f"{command} here.jsonl"
        rounding = self._roundings[0] if len(self._roundings) == 1 else "both"
        device = arguments.device or ("cpu" if self._claimed["type"] == "cpu" else None)
        words = [sys.executable, "-m", f"bench.{command}", "--solution", str(folder / "solution")]
        words += ["--cache", str(folder / "cache"), "--rounding", rounding, *more]
        words += [file_flag, str(report), *(["--device", device] if device else [])]
        words += ["--pick-idle-gpu"] if arguments.pick_idle_gpu else []
        environment = {**os.environ, "PYTHONPATH": module_path()}
        out = sys.stderr if arguments.json else None
        code = subprocess.run(words, cwd=ROOT, env=environment, stdout=out, check=False).returncode
        if code not in (0, 1):
            raise UserError(
                f"{command} ended with exit code {code}; see what it said, and try again"
            )
        return list(read_results(report))

    def _seed(self) -> list[str]:
        seed = self._arguments.secret_seed
        return [] if seed is None else ["--seed", str(seed)]

    def _show(self, text: str) -> None:
        print(text, file=sys.stderr if self._arguments.json else sys.stdout)


def main(argv: Sequence[str] | None = None) -> int:
    """Inspect, run, conclude, write."""
    arguments = parse(parser(), argv)
    review = Review()
    with tempfile.TemporaryDirectory(prefix="review-") as work:
        inspected = inspect(arguments.bundle, ROOT, Path(work), review)
        if inspected is not None:
            Reviewer(arguments, inspected, review).run()
    record = review.record()
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
        (arguments.out / "review.json").write_text(text, encoding="utf-8")
        (arguments.out / "comment.md").write_text(comment(record), encoding="utf-8")
    except OSError as error:
        raise UserError(f"--out: {arguments.out}: cannot be written: {error.strerror}") from None
    if arguments.json:
        print(json.dumps(record))
    else:
        for one in review.remarks:
            print(f"{one.leads_to} {one.stage}: {one.text}")
        print(f"{review.verdict}: {arguments.out / 'comment.md'}")
    return EXIT_CODE[review.verdict]


if __name__ == "__main__":
    run_command(main)
