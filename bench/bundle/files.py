# SPDX-License-Identifier: Apache-2.0
"""A solution folder into members, a bundle file into bytes, members into a work folder."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

from bench.bundle.members import (
    BUNDLE_BYTES_MAX,
    MEMBERS_MAX,
    SOLUTION,
    BundleError,
    check_member,
)
from bench.record.tree import source_files
from bench.task.errors import UserError


def collect_solution(folder: Path) -> dict[str, bytes]:
    """Every file of a solution by its member's name; BundleError for one of another kind."""
    members: dict[str, bytes] = {}
    for name, path in source_files(folder).items():
        member = SOLUTION + name
        if len(members) == MEMBERS_MAX:
            raise BundleError(f"{folder.name}/: expected at most {MEMBERS_MAX} files, got more")
        members[member] = read_file(path)
        check_member(member, members[member])
    return members


def read_file(path: Path) -> bytes:
    """A file's bytes; UserError where it cannot be read, BundleError where it is too large."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path}: expected a file, got something else")
        if status.st_size > BUNDLE_BYTES_MAX:
            raise BundleError(
                f"expected at most {BUNDLE_BYTES_MAX} bytes in all, got {status.st_size}"
            )
        with path.open("rb") as file:
            return file.read(BUNDLE_BYTES_MAX + 1)  # it may grow meanwhile
    except OSError as error:
        raise UserError(f"{path}: expected a readable file, got: {error.strerror}") from None


def unpack(members: Mapping[str, bytes], folder: Path) -> None:
    """Write members that `read_archive` has let pass below an empty folder."""
    for name, content in members.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
