# SPDX-License-Identifier: Apache-2.0
"""What a side's players may write, and thereby load again: no other side's builds."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from bench.commandline import add_selectors, prepare
from bench.run import Run
from tests.small_run import ROOT

SOLUTION = ROOT / "solution"


def run_of(solution: Path) -> Run:
    parser = argparse.ArgumentParser()
    add_selectors(parser)
    return prepare(parser.parse_args(["--device", "cpu", "--solution", str(solution)]))


def builds_of(solution: Path) -> Path:
    (folder,) = {one.cache for one in run_of(solution).sides().values() if one.name == "solution"}
    return Path(folder)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SOLUTION, tmp_path / "theirs"))


def test_solutions_of_other_contents_have_other_builds(copied: Path) -> None:
    assert builds_of(copied) == builds_of(SOLUTION), "wherever the same sources lie"
    source = copied / "cpu" / "residual_gate_add.cc"
    source.write_text(source.read_text() + "\n")
    assert builds_of(copied) != builds_of(SOLUTION)


def test_no_side_may_write_what_another_one_loads() -> None:
    run = run_of(SOLUTION)
    folders = {Path(one.cache) for one in {**run.references(rivals=True), **run.sides()}.values()}
    folders.discard(Path())  # the baseline builds nothing
    assert len(folders) == 5, "the solution, the floors together, three rivals"
    for one in folders:
        assert not folders & set(one.parents)
