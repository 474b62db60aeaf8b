# SPDX-License-Identifier: Apache-2.0
"""Everything of a bundle that can be verified without running any of its code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bundle.agreement import claims
from bench.bundle.archive import read_archive
from bench.bundle.files import read_file, unpack
from bench.bundle.manifest import check_manifest, digest, open_manifest
from bench.bundle.members import CHECKS, RESULTS, BundleError
from bench.bundle.recompute import Recomputation
from bench.bundle.requirements import benchmark_shortfalls, correctness_shortfalls
from bench.bundle.tree_match import SINCE, Tree
from bench.bundle.verdict import Review, Verdict
from bench.record.results import parse_results
from bench.task.errors import UserError

MALFORMED = (
    ArithmeticError,
    AttributeError,
    KeyError,
    IndexError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What plain data of another shape than the judge writes raises where it is read."""


@dataclass(frozen=True)
class Inspected:
    """A bundle that was read: its records, and the folder that its members were unpacked to."""

    folder: Path
    results: list[dict[str, Any]]
    checks: list[dict[str, Any]]
    tree: Tree


def inspect(path: Path, root: Path, work: Path, review: Review) -> Inspected | None:
    """Verify stage by stage against the repository at root; None from the first rejection on.

    UserError where path cannot be read at all: that says nothing about a bundle.
    """
    try:
        content = read_file(path)
    except BundleError as error:
        review.add(Verdict.REJECTED, "open", str(error))
        return None
    try:
        with _stage("open", review):
            review.bundle_sha256 = digest(content)
            members = read_archive(content)
        review.verified.append("the archive: plain files, allowed names, within the limits")
        with _stage("manifest", review):
            label = open_manifest(members)
            review.name, review.note = label.name, label.note
        with _stage("records", review):
            results, checks = (parse_results(one, members[one]) for one in (RESULTS, CHECKS))
        with _stage("manifest", review):
            check_manifest(label, members, results)
        review.verified.append("the manifest: the digest of every member")
        review.verified.append("schema and chain of both files of records")
        unpack(members, work)
        tree = Tree.of(root, work / "solution")
        inspected = Inspected(work, results, checks, tree)
        _requirements(inspected, review)
        with _stage("statistics", review):
            Recomputation(tree.config_of(results[0]), results).check(tree.rows)
            review.claimed, review.claims = _claimed(inspected), claims(results)
        review.verified.append("every statistic and the headline, made anew from raw samples")
        return inspected
    except _Rejected:
        return None


class _Rejected(Exception):
    """A stage has said why, and what follows would be about nothing."""


@contextmanager
def _stage(name: str, review: Review) -> Iterator[None]:
    try:
        yield
    except (BundleError, UserError) as error:
        review.add(Verdict.REJECTED, name, str(error))
        raise _Rejected from None
    except MALFORMED as error:
        text = f"the records are not of the form that the judge writes: {error!r:.200}"
        review.add(Verdict.REJECTED, name, text)
        raise _Rejected from None


def _requirements(inspected: Inspected, review: Review) -> None:
    """All shortfalls at once; what differs from this repository is a stage of its own."""
    results, checks, tree = inspected.results, inspected.checks, inspected.tree
    with _stage("tree", review):
        for name, records in ((RESULTS, results), (CHECKS, checks)):
            for _, sentence in tree.differences(records):
                review.add(Verdict.REJECTED, "tree", f"{name}: {sentence}")
    if review.rejected:
        raise _Rejected
    review.verified.append(f"made from this repository: {', '.join(tree.digests)}")
    if results[0]["provenance"]["tree_sha256"]["bench"] != tree.digests["bench/"]:
        changed = ", ".join(sorted(tree.changed))
        review.add(Verdict.ACCEPTED, "tree", f"{SINCE} declares as changed since: {changed}")
    with _stage("records", review):
        for shortfall in benchmark_shortfalls(results, tree):
            review.add(Verdict.REJECTED, "records", shortfall.text)
        if not review.rejected:
            for shortfall in correctness_shortfalls(checks, results, tree):
                review.add(Verdict.REJECTED, "records", shortfall.text)
    if review.rejected:
        raise _Rejected
    review.verified.append("results and checks: complete, frozen, unmarked, all passed")


def _claimed(inspected: Inspected) -> dict[str, Any]:
    """Who measured what, for a reader who has only the review."""
    run, end = inspected.results[0], inspected.results[-1]
    origin = run["provenance"]
    return {
        "time": run["time"],
        "device": origin["device"],
        "versions": origin["versions"],
        "revision": origin["git"]["revision"],
        "solution_sha256": origin["tree_sha256"]["solution"],
        "roundings": run["roundings"],
        "headlines": end["headlines"],
    }
