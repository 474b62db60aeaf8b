# SPDX-License-Identifier: Apache-2.0
"""Which records a repository takes for its own, before and after a repair of its judge."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.bundle.tree_match import SINCE, Tree
from bench.record.tree import file_digest
from bench.task.errors import ConfigError
from tests.small_run import ROOT

REPAIRED = "bench/review.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("baseline", "bench", "solution"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("config.toml", "workloads.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / SINCE).parent.mkdir()
    return tmp_path


def tree(root: Path) -> Tree:
    return Tree.of(root, root / "solution")


def run_of(root: Path) -> list[dict[str, Any]]:
    found = tree(root).digests
    folders = {name.rstrip("/"): one for name, one in found.items() if name.endswith("/")}
    files = {"workloads": found["workloads.json"], "config": found["config.toml"]}
    origin = {"tree_sha256": folders, "file_sha256": files, "git": {"revision": None}}
    return [{"kind": "run", "provenance": origin}]


def edit(path: Path) -> str:
    """Change a file; the digest that it had."""
    before = file_digest(path)
    path.write_text(path.read_text() + "\n# changed\n")
    return before


def declare(root: Path, name: str, digest: str) -> None:
    text = f'[changed."{name}"]\nsha256 = "{digest}"\nwhy = "a repair"\n'
    (root / SINCE).write_text(text)


def parts(root: Path, records: list[dict[str, Any]]) -> list[str]:
    return [part for part, _ in tree(root).differences(records)]


def test_records_from_before_a_declared_repair_are_this_repositorys(root: Path) -> None:
    records = run_of(root)
    before = edit(root / REPAIRED)
    assert parts(root, records) == ["bench/"]
    declare(root, REPAIRED, before)
    assert parts(root, records) == []
    assert parts(root, run_of(root)) == [], "and so are those from after it"
    edit(root / "bench/submit.py")
    assert parts(root, records) == ["bench/"], "what is not declared is another judge"


def test_a_digest_that_the_file_never_had_excuses_nothing(root: Path) -> None:
    records = run_of(root)
    edit(root / REPAIRED)
    declare(root, REPAIRED, "0" * 64)
    assert parts(root, records) == ["bench/"]


@pytest.mark.parametrize("name", ["solution/build.py", "baseline/residual_gate_add.py"])
def test_no_declaration_excuses_another_side(root: Path, name: str) -> None:
    records = run_of(root)
    declare(root, name, edit(root / name))
    assert parts(root, records) == [f"{name.partition('/')[0]}/"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "since.toml: missing key changed"),
        ("changed = 3", "since.toml: changed: expected a table"),
        ('[changed."bench/a.py"]\nsha256 = "12"\nwhy = "x"', "expected 64 hexadecimal digits"),
        ('[changed."bench/a.py"]\nwhy = "x"', "sha256"),
        ("[changed", "not TOML"),
    ],
)
def test_a_declaration_that_cannot_be_read_is_one_sentence(
    root: Path, text: str, sentence: str
) -> None:
    (root / SINCE).write_text(text)
    with pytest.raises(ConfigError, match=sentence):
        tree(root)
