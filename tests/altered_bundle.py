# SPDX-License-Identifier: Apache-2.0
"""A bundle in the hands of somebody who knows the format: each altered part can be sealed anew."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.bundle.archive import read_archive, write_archive
from bench.bundle.manifest import Label, manifest
from bench.bundle.members import CHECKS, MANIFEST, RESULTS
from bench.record.schema import FIRST_CHAIN, seal
from bench.record.tree import tree_digest

Records = list[dict[str, Any]]


def sealed(records: Records) -> bytes:
    """The records as a file whose chain holds, whatever they say."""
    lines, chain = [], FIRST_CHAIN
    for record in records:
        fields = {key: value for key, value in record.items() if key not in ("chain", "digest")}
        head = {key: fields.pop(key) for key in ("kind", "schema", "time")}
        line, chain = seal({**head, "chain": chain, **fields})
        lines.append(line)
    return b"".join(lines)


class AlteredBundle:
    """The members of a bundle, to be changed at will."""

    def __init__(self, content: bytes) -> None:
        self.members = read_archive(content)
        stated = json.loads(self.members[MANIFEST])
        self.label = Label(stated["name"], stated["note"])

    def records(self, name: str) -> Records:
        return [json.loads(line) for line in self.members[name].splitlines()]

    def change(self, name: str, edit: Callable[[Records], object]) -> None:
        """Edit a file of records and seal its chain."""
        records = copy.deepcopy(self.records(name))
        edit(records)
        self.members[name] = sealed(records)

    def claim_this_solution(self, work: Path) -> None:
        """Let both files say that they were made of the solution as it is now."""
        for name, content in self.members.items():
            if name.startswith("solution/"):
                path = work / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        digest = tree_digest(work / "solution")
        for name in (RESULTS, CHECKS):
            self.change(
                name, lambda all: all[0]["provenance"]["tree_sha256"].update(solution=digest)
            )

    def written(self) -> bytes:
        """The bundle with a manifest that fits."""
        self.members[MANIFEST] = manifest(self.label, self.members, self.records(RESULTS)[0])
        return write_archive(self.members)
