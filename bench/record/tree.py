# SPDX-License-Identifier: Apache-2.0
"""Which sources a run was about: digests of folders and files, and git's word on them."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.task.errors import UserError

CACHES = frozenset(
    {
        "__pycache__",
        ".cache",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    }
)
"""Folders that programs write. Hidden files count: a kernel may include one."""


ELSEWHERE = "<elsewhere>/"
PATH_START = r"(?:(?<![\w./~)\]>-])|(?<=-[IL])|(?<=isystem))"
"""Not within a word, a number or a path: GB/s, 1/2 and a/b are none."""
OTHER_PATH = PATH_START + r"~?/(?:[^\s/:,;='\")]*/)*([^\s/:,;='\")]+)"


def file_digest(path: Path) -> str:
    """The sha256 of a file's bytes."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{path}: expected a readable file, got: {error.strerror}") from None


def tree_digest(folder: Path, then: Mapping[str, str] | None = None) -> str:
    """The sha256 over each file's relative path and contents, sorted by path, caches left out.

    `then` holds files, by their relative paths, with the sha256 that they had at another time.
    """
    digest = hashlib.sha256()
    for name, path in source_files(folder).items():
        one = (then or {}).get(name) or file_digest(path)
        digest.update(os.fsencode(name) + b"\0" + one.encode() + b"\n")
    return digest.hexdigest()


def source_files(folder: Path) -> dict[str, Path]:
    """Relative path -> file of everything below a folder that counts, in the digest's order."""
    if not folder.is_dir():
        raise UserError(f"{folder}: expected a folder of sources, got none")
    files = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    return {name: files[name] for name in sorted(files, key=os.fsencode)}


def git_state(
    root: Path, judged: Sequence[str], environ: Mapping[str, str] = os.environ
) -> dict[str, object]:
    """The commit and whether a judged path differs from it; the environment's word without .git."""
    if (root / ".git").exists():
        revision = _git(root, "rev-parse", "HEAD")
        changes = _git(root, "status", "--porcelain", "--", *judged)
        if revision is not None and changes is not None:
            return {"revision": revision.strip(), "dirty": bool(changes.strip()), "source": "git"}
    stated = environ.get("KDA_GIT_REVISION", "")
    if not stated:
        return {"revision": None, "dirty": None, "source": None}
    if not re.fullmatch("[0-9a-f]{7,64}", stated):
        raise UserError(f"KDA_GIT_REVISION: expected a commit's hexadecimal name, got {stated!r}")
    dirty = environ.get("KDA_GIT_DIRTY", "")
    if dirty not in ("", "0", "1"):
        raise UserError(f"KDA_GIT_DIRTY: expected 0, 1 or nothing, got {dirty!r}")
    return {
        "revision": stated,
        "dirty": None if dirty == "" else dirty == "1",
        "source": "environment",
    }


def changed_since(root: Path, revision: object, paths: Sequence[str]) -> list[str]:
    """Files below these paths that differ from a commit; none where git does not know it."""
    if not re.fullmatch("[0-9a-f]{7,64}", str(revision)) or not (root / ".git").exists():
        return []
    found = _git(root, "diff", "--name-only", str(revision), "--", *paths)
    return (found or "").splitlines()


def without_machine_paths(value: object, root: Path) -> object:
    """The value with each path below the root made relative and any other cut to its last name."""
    if isinstance(value, str):
        return _relative(value, root)
    if isinstance(value, Path):
        return _relative(str(value), root)
    if isinstance(value, Mapping):
        return {str(key): without_machine_paths(item, root) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_machine_paths(item, root) for item in value]
    return value


def _relative(text: str, root: Path) -> str:
    for start in sorted({str(root), str(root.resolve())} - {"/"}):
        text = re.sub(PATH_START + re.escape(start) + r"(?![^/\s:,;='\")])/?", "./", text)
    text = re.sub(r"(?<![\w./])\./(?=[\w.])", "", text)
    return re.sub(f"https?://\\S+|{OTHER_PATH}", _cut, text)


def _cut(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"{ELSEWHERE}{found[1]}"


def _files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_symlink():
            raise UserError(f"{entry}: expected files of its own in a judged folder, got a link")
        if entry.is_dir():
            if entry.name not in CACHES:
                yield from _files(entry)
        elif entry.suffix != ".pyc":
            yield entry


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
