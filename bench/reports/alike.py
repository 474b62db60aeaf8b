# SPDX-License-Identifier: Apache-2.0
"""What two runs must have in common before a number of one is held against the other's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from bench.record.tables import Record, bench_records
from bench.task.errors import UserError

ALIKE: Mapping[str, Callable[[Record], Any]] = {
    "gpu": lambda run: run["provenance"]["device"]["name"],
    "workloads": lambda run: run["provenance"]["file_sha256"]["workloads"][:12],
    "timer": lambda run: run["provenance"]["timer"],
    "baseline": lambda run: run["provenance"]["tree_sha256"]["baseline"][:12],
    "policy": lambda run: run["config"]["benchmark"],
}
"""What two runs must have in common, by the name that lets them differ; regimes are the rows'."""
DIFFERENCES = (*ALIKE, "regimes")


def differences(a: Sequence[Record], b: Sequence[Record], allow: Collection[str]) -> dict[str, str]:
    """What differs and was allowed to, by name, in words; UserError on what was not."""
    pairs = {name: (of(a[0]), of(b[0])) for name, of in ALIKE.items()}
    pairs["regimes"] = (regimes(a), regimes(b))
    found = {}
    for name, (theirs, ours) in pairs.items():
        if theirs == ours:
            continue
        words = _differing(name, theirs, ours)
        if name not in allow:
            raise UserError(
                f"compare: expected two runs with the same {name}, got {words}; "
                f"measure both alike, or let them differ with --allow {name}"
            )
        found[name] = words
    return found


def regimes(records: Sequence[Record]) -> list[str]:
    """Every regime in which a row was timed."""
    return sorted({name for record in bench_records(records) for name in record.get("regimes", {})})


def _differing(name: str, theirs: object, ours: object) -> str:
    """How two values differ, by their keys where they have some."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        keys = sorted(key for key in {**theirs, **ours} if theirs.get(key) != ours.get(key))
        return "; ".join(f"{name} {key} {theirs.get(key)} and {ours.get(key)}" for key in keys)
    return f"{name} {theirs} and {ours}"
