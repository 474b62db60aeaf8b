# SPDX-License-Identifier: Apache-2.0
"""A manifest states what is in a bundle, in one form."""

from __future__ import annotations

import json

import pytest

from bench.bundle.manifest import Label, manifest, open_manifest
from bench.bundle.members import CHECKS, MANIFEST, RESULTS, BundleError

MEMBERS = {RESULTS: b"r\n", CHECKS: b"c\n", "solution/build.py": b"b\n"}
RUN = {
    "slug": "task",
    "provenance": {"device": {}, "versions": {}, "host": {}, "timer": "wall_clock"},
}


def with_manifest(**changes: object) -> dict[str, bytes]:
    value = json.loads(manifest(Label("name", "note"), MEMBERS, RUN))
    return {**MEMBERS, MANIFEST: json.dumps({**value, **changes}).encode()}


def refused(members: dict[str, bytes]) -> str:
    with pytest.raises(BundleError) as caught:
        open_manifest(members)
    return str(caught.value)


def test_a_manifest_states_every_member_and_no_other() -> None:
    assert open_manifest(with_manifest()) == Label("name", "note")
    assert "'solution/more.h': is not in the manifest" in refused(
        with_manifest() | {"solution/more.h": b""}
    )
    lacking = with_manifest()
    del lacking["solution/build.py"]
    lacking["solution/other.h"] = b""
    assert "'solution/build.py': is not in the bundle" in refused(lacking)
    assert "correctness.jsonl: expected in every bundle" in refused(
        {name: one for name, one in with_manifest().items() if name != CHECKS}
    )
    assert "at least one file" in refused(
        {name: one for name, one in with_manifest().items() if "solution" not in name}
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema": 2}, "has schema 2; this program reads schema 1"),
        ({"schema": True}, "has schema True"),
        ({"schema": None}, "has schema None"),
        ({"members": []}, "members: expected a table"),
        ({"name": "../up"}, "name: expected up to 64 lower-case letters"),
        ({"name": 7}, "name: expected"),
        ({"note": "two\nlines"}, "note: expected one line"),
        ({"note": "x" * 501}, "note: expected at most 500 characters, got 501"),
    ],
)
def test_a_manifest_of_another_form_is_refused(changes: dict[str, object], reason: str) -> None:
    assert reason in refused(with_manifest(**changes))


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"schema": NaN'])
def test_a_manifest_that_is_none_is_refused(content: bytes) -> None:
    assert refused({**MEMBERS, MANIFEST: content}).startswith("manifest.json: ")
