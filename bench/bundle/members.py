# SPDX-License-Identifier: Apache-2.0
"""What a bundle may hold: names, kinds and sizes. The limits on hostile bundles all stand here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from bench.record.tree import CACHES

MANIFEST, RESULTS, CHECKS = "manifest.json", "results.jsonl", "correctness.jsonl"
SOLUTION = "solution/"
KINDS = (".cu", ".cuh", ".cc", ".cpp", ".h", ".hpp", ".py", ".toml", ".md")
"""Of solution files: sources, headers, build code, settings, notes. All text: nothing prebuilt."""

MEMBERS_MAX = 256
NAME_BYTES_MAX = 100  # what one tar header holds
MANIFEST_BYTES_MAX = 256 << 10
RECORDS_BYTES_MAX = 64 << 20  # a full run on two roundings with all its samples takes 4 to 20 MiB
SOLUTION_FILE_BYTES_MAX = 1 << 20
BUNDLE_BYTES_MAX = 160 << 20  # the whole file, headers included

SEGMENT = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
NAME = re.compile(rf"{SEGMENT}(/{SEGMENT})*", re.ASCII)


class BundleError(Exception):
    """Why bytes are no bundle that can be reviewed: one sentence."""


def bytes_max(name: str) -> int:
    """How many bytes a member of this name may have; BundleError where no member may have it."""
    if len(name) > NAME_BYTES_MAX or not NAME.fullmatch(name):
        raise BundleError(
            f"{name!r:.120}: expected a relative path of letters, digits and _ . + - without hidden"
            f" parts, at most {NAME_BYTES_MAX} bytes"
        )
    if name in (RESULTS, CHECKS):
        return RECORDS_BYTES_MAX
    if name == MANIFEST:
        return MANIFEST_BYTES_MAX
    path = PurePosixPath(name)
    if not name.startswith(SOLUTION):
        raise BundleError(f"{name}: expected nothing beside {SOLUTION} but results and checks")
    if path.suffix not in KINDS or CACHES.intersection(path.parts):
        raise BundleError(
            f"{name}: expected solution files of the kinds {' '.join(KINDS)} outside caches"
        )
    return SOLUTION_FILE_BYTES_MAX


def check_member(name: str, content: bytes) -> None:
    """BundleError unless a member may have this name and hold this."""
    limit = bytes_max(name)
    if len(content) > limit:
        raise BundleError(f"{name}: expected at most {limit} bytes, got {len(content)}")
    if name.startswith(SOLUTION):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise BundleError(f"{name}: expected text in UTF-8, got something else")


def check_names(names: Iterable[str]) -> None:
    """BundleError where two names are one on some file system, or a file is another's folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        if files.setdefault(name.casefold(), name) != name:
            raise BundleError(f"{name}: differs from {files[name.casefold()]} only in case")
        for parent in PurePosixPath(name).parents:
            folder = str(parent)
            if folders.setdefault(folder.casefold(), folder) != folder:
                raise BundleError(f"{name}: its folder differs from another's only in case")
    for folded in files.keys() & folders.keys():
        raise BundleError(f"{files[folded]}: is a file and a folder")
