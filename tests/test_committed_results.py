# SPDX-License-Identifier: Apache-2.0
"""The committed results belong to the committed tree, and the documents belong to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import report
from bench.bundle.inspection import inspect
from bench.bundle.tree_match import Tree
from bench.bundle.verdict import Review, Verdict
from bench.record.results import is_complete, read_results
from bench.record.tree import file_digest

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "results").glob("*.jsonl"))
BUNDLES = sorted((ROOT / "results").glob("*/*.tar"))
MAY_CHANGE = (
    "bench/judge/",
    "bench/bundle/",
    "bench/reports/",
    "bench/record/tree.py",
    "bench/commandline.py",
    "bench/completion.py",
    "bench/report.py",
    "bench/review.py",
)
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def test_there_are_results_of_both_runners():
    assert {read_results(path)[0]["command"] for path in FILES} >= {"benchmark", "correctness"}


@every_file
def test_results_belong_to_this_tree_but_for_what_is_declared_as_changed_since(path):
    records = read_results(path)
    assert list(Tree.of(ROOT, ROOT / "solution").differences(records)) == []


def test_what_has_changed_since_is_neither_baseline_nor_solution_nor_an_instrument():
    for name, one in Tree.of(ROOT, ROOT / "solution").changed.items():
        assert name.startswith(MAY_CHANGE), name
        assert one.why and file_digest(ROOT / name) != one.sha256, name


@every_file
def test_results_are_of_a_complete_pinned_run_on_frozen_rows(path):
    records = read_results(path)
    assert is_complete(records)
    assert records[0]["frozen"] and records[0]["provenance"]["device"]["pinned"]


def test_documents_are_what_the_results_say():
    assert report.main(["--check"]) == 0


def test_a_bundle_is_committed():
    assert BUNDLES


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.name)
def test_committed_bundles_hold_in_all_that_needs_no_run(path, tmp_path):
    review = Review()
    assert inspect(path, ROOT, tmp_path, review), review.remarks
    assert review.verdict is Verdict.ACCEPTED, review.remarks
