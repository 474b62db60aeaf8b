# SPDX-License-Identifier: Apache-2.0
"""The committed results belong to the committed tree, and the documents belong to them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from bench import report
from bench.record.results import is_complete, read_results
from bench.record.tree import file_digest, source_files
from bench.task.config import read_toml

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "results").glob("*.jsonl"))
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def test_there_are_results_of_both_runners():
    assert {read_results(path)[0]["command"] for path in FILES} >= {"benchmark", "correctness"}


def measured_digest(folder: str) -> str:
    """The folder's digest as it was when it was measured, by what `results/since.toml` declares.

    A file that has changed since stands there with the digest that it had. The recorded digest of
    the whole folder proves that there is no other.
    """
    changed = read_toml(ROOT / "results" / "since.toml").get("changed", {})
    digest = hashlib.sha256()
    for name, path in source_files(ROOT / folder).items():
        now = file_digest(path)
        then = changed.get(f"{folder}/{name}", {"sha256": now})["sha256"]
        assert f"{folder}/{name}" not in changed or then != now, f"{name}: has not changed"
        digest.update(os.fsencode(name) + b"\0" + then.encode() + b"\n")
    return digest.hexdigest()


@every_file
def test_results_belong_to_this_tree_but_for_what_is_declared_as_changed_since(path):
    origin = read_results(path)[0]["provenance"]
    for folder, digest in origin["tree_sha256"].items():
        assert measured_digest(folder) == digest, f"{folder}/ has changed since; measure again"
    files = {"workloads": ROOT / "workloads.json", "config": ROOT / "config.toml"}
    assert {name: file_digest(file) for name, file in files.items()} == origin["file_sha256"]


def test_what_has_changed_since_is_neither_baseline_nor_solution_nor_an_instrument():
    changed = read_toml(ROOT / "results" / "since.toml").get("changed", {})
    for name, one in changed.items():
        assert name.startswith(("bench/judge/", "bench/reports/")), name
        assert one["why"], name


@every_file
def test_results_are_of_a_complete_pinned_run_on_frozen_rows(path):
    records = read_results(path)
    assert is_complete(records)
    assert records[0]["frozen"] and records[0]["provenance"]["device"]["pinned"]


def test_documents_are_what_the_results_say():
    assert report.main(["--check"]) == 0
