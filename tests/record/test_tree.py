# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bench.record.tree import file_digest, git_state, tree_digest, without_machine_paths
from bench.task.errors import UserError

ROOT = Path("/home/bob/my project")


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "solution"
    (folder / "cuda").mkdir(parents=True)
    (folder / "build.py").write_text("build")
    (folder / "cuda" / "op.cu").write_text("kernel")
    return folder


def test_digest_is_of_names_and_contents_not_of_the_place(tree, tmp_path):
    before = tree_digest(tree)
    assert tree_digest(shutil.copytree(tree, tmp_path / "copy")) == before
    (tree / "cuda" / "op.cu").write_text("kernel ")
    edited = tree_digest(tree)
    (tree / "cuda" / "op.cu").write_text("kernel")
    assert tree_digest(tree) == before
    (tree / "cuda" / "op.cu").rename(tree / "cuda" / "other.cu")
    assert len({before, edited, tree_digest(tree)}) == 3


@pytest.mark.parametrize("name", [".hidden.h", "empty.h", "cuda/more.cuh", "ä.h"])
def test_every_file_counts(tree, name):
    before = tree_digest(tree)
    (tree / name).write_text("")
    assert tree_digest(tree) != before


@pytest.mark.parametrize("name", ["__pycache__/build.pyc", ".cache/op.so", "cuda/.ruff_cache/x"])
def test_caches_do_not_count(tree, name):
    before = tree_digest(tree)
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text("x")
    assert tree_digest(tree) == before


def test_link_in_a_judged_folder_is_refused(tree):
    (tree / "include").symlink_to(tree / "cuda")
    with pytest.raises(UserError, match="include: expected files of its own"):
        tree_digest(tree)


def test_missing_folder_or_file_is_a_sentence(tree):
    with pytest.raises(UserError, match="expected a folder of sources"):
        tree_digest(tree / "nothing")
    with pytest.raises(UserError, match="expected a readable file"):
        file_digest(tree / "nothing")


def git(folder, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_says_the_commit_and_whether_judged_files_differ(tree, tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    revision = git(tmp_path, "rev-parse", "HEAD")
    environ = {"KDA_GIT_REVISION": "0" * 40}
    clean = {"revision": revision, "dirty": False, "source": "git"}
    (tmp_path / "results.jsonl").write_text("not judged")
    assert git_state(tmp_path, ["solution"], environ) == clean
    (tree / "new.cu").write_text("")
    assert git_state(tmp_path, ["solution"], environ) == {**clean, "dirty": True}


@pytest.mark.parametrize(
    ("environ", "dirty"),
    [({}, None), ({"KDA_GIT_DIRTY": "0"}, False), ({"KDA_GIT_DIRTY": "1"}, True)],
)
def test_environment_speaks_where_there_is_no_git(tree, environ, dirty):
    stated = {"KDA_GIT_REVISION": "abcdef1", **environ}
    expected = {"revision": "abcdef1", "dirty": dirty, "source": "environment"}
    assert git_state(tree, ["."], stated) == expected
    assert git_state(tree, ["."], environ)["revision"] is None


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"KDA_GIT_REVISION": "main"}, "KDA_GIT_REVISION"),
        ({"KDA_GIT_REVISION": "abcdef1", "KDA_GIT_DIRTY": "no"}, "KDA_GIT_DIRTY"),
    ],
)
def test_nonsense_in_the_environment_is_refused(tree, environ, name):
    with pytest.raises(UserError, match=f"{name}: expected"):
        git_state(tree, ["."], environ)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ROOT}/solution/cuda/op.cu(12): error: x", "solution/cuda/op.cu(12): error: x"),
        (f"in {ROOT}", "in ./"),
        (f"{ROOT}2/x", "<elsewhere>/my project2/x"),
        (f"-I{ROOT}/include -I/usr/local/cuda/include", "-I./include -I<elsewhere>/include"),
        ("--out=/tmp/a/b.jsonl", "--out=<elsewhere>/b.jsonl"),
        ("'/home/bob/x.py', line 3", "'<elsewhere>/x.py', line 3"),
        ("~/secret/x", "<elsewhere>/x"),
        ("file:///home/bob/x", "file:<elsewhere>/x"),
        ("/etc", "<elsewhere>/etc"),
        ("row 2-D 192x(2,4096) 81.5 GB/s, 1/2 a / b", "row 2-D 192x(2,4096) 81.5 GB/s, 1/2 a / b"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
        ("baseline/{op}.py:{op}", "baseline/{op}.py:{op}"),
        ("./bench/x.py ../y", "bench/x.py ../y"),
        ("<elsewhere>/x", "<elsewhere>/x"),
    ],
)
def test_paths_of_the_machine_are_cut(text, expected):
    assert without_machine_paths(text, ROOT) == expected


def test_paths_are_cut_at_any_depth():
    value = {"a": [(f"{ROOT}/x", 1.5, None)], "b": ROOT / "y"}
    assert without_machine_paths(value, ROOT) == {"a": [["x", 1.5, None]], "b": "y"}
