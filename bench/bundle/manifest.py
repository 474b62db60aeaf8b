# SPDX-License-Identifier: Apache-2.0
"""The manifest: who hands in what, from where, with a digest of each member.

It is a function of the bundle's name, note and members, so a reader makes it anew and compares.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.bundle.members import CHECKS, MANIFEST, RESULTS, SOLUTION, BundleError

SCHEMA = 1
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
NOTE_CHARACTERS_MAX = 500


@dataclass(frozen=True)
class Label:
    """What the submitter calls a bundle, and says of it; BundleError when it cannot be that."""

    name: str
    note: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise BundleError(
                "name: expected up to 64 lower-case letters, digits and . _ -,"
                f" got {self.name!r:.90}"
            )
        if not isinstance(self.note, str) or not self.note.isprintable():
            raise BundleError("note: expected one line of text")
        if len(self.note) > NOTE_CHARACTERS_MAX:
            raise BundleError(
                f"note: expected at most {NOTE_CHARACTERS_MAX} characters, got {len(self.note)}"
            )


def manifest(label: Label, members: Mapping[str, bytes], run: Mapping[str, Any]) -> bytes:
    """The manifest of these members; `run` is the record that begins the results."""
    origin = run["provenance"]
    value = {
        "schema": SCHEMA,
        "name": label.name,
        "note": label.note,
        "task": run["slug"],
        "members": {
            name: {"bytes": len(members[name]), "sha256": digest(members[name])}
            for name in sorted(members)
            if name != MANIFEST
        },
        "environment": {key: origin[key] for key in ("device", "versions", "host", "timer")},
    }
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def open_manifest(members: Mapping[str, bytes]) -> Label:
    """The label, once every member has the digest that the manifest states; BundleError if not."""
    for name in (MANIFEST, RESULTS, CHECKS):
        if name not in members:
            raise BundleError(f"{name}: expected in every bundle, and is not there")
    if not any(name.startswith(SOLUTION) for name in members):
        raise BundleError(f"{SOLUTION}: expected at least one file of it, got none")
    value = _parse(members[MANIFEST])
    if value.get("schema") != SCHEMA or type(value["schema"]) is not int:
        raise BundleError(
            f"{MANIFEST}: has schema {value.get('schema')!r:.40};"
            f" this program reads schema {SCHEMA}"
        )
    stated = value.get("members")
    if not isinstance(stated, dict):
        raise BundleError(f"{MANIFEST}: members: expected a table")
    for name in sorted({*stated, *members} - {MANIFEST}):
        if name not in stated or name not in members:
            where = "manifest" if name not in stated else "bundle"
            raise BundleError(f"{name!r:.120}: is not in the {where}")
        found = {"bytes": len(members[name]), "sha256": digest(members[name])}
        if stated[name] != found:
            raise BundleError(f"{name}: is not what the manifest says: its sha256 or size differs")
    return Label(value.get("name", ""), value.get("note", ""))


def check_manifest(
    label: Label, members: Mapping[str, bytes], records: Sequence[Mapping[str, Any]]
) -> None:
    """BundleError unless the manifest is the one that follows from the members."""
    if members[MANIFEST] != manifest(label, members, records[0]):
        raise BundleError(f"{MANIFEST}: is not the one that bench/submit.py writes for its members")


def digest(content: bytes) -> str:
    """The sha256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _parse(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise BundleError(f"{MANIFEST}: is not JSON") from None
    if not isinstance(value, dict):
        raise BundleError(f"{MANIFEST}: expected a table")
    return value
