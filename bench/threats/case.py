# SPDX-License-Identifier: Apache-2.0
"""What a case of the gauntlet declares, and where its files lie."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from bench.record.status import Status
from bench.task.checkout import ROOT
from bench.task.config import read_toml
from bench.task.errors import UserError, suggest
from bench.task.parse import OneOf, Parser

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("cheaters", "mutants", "benign")
LANGUAGES = {".py": "python", ".cc": "c++", ".cu": "cuda"}
COMMENTS = {".py": "# ", ".cc": "// ", ".cu": "// "}
FAMILIES = ("A.1", "A.2", "A.3", "B")
DEVICES = ("cpu", "cuda")


DEFAULTS: Mapping[str, Any] = {
    "caught_by": [],
    "devices": list(DEVICES),
    "op": "residual_gate_add",
    "judged_by": "row",
    "language": "",
    "beside_baseline": False,
    "short": False,
    "set": {},
    "edit": [],
}


@dataclass(frozen=True)
class Edit:
    """A planted bug: `find`, which stands exactly once in `file` of solution/, becomes `put`."""

    file: str
    find: str
    put: str


@dataclass(frozen=True)
class Declared:
    """What stands at the head of a case's file, or in a mutant's table."""

    family: Annotated[str, OneOf(FAMILIES)]
    does: str
    """in a sentence"""
    caught_by: tuple[str, ...]
    """statuses that count as caught; none for a benign case"""
    devices: tuple[str, ...]
    op: str
    judged_by: Annotated[str, OneOf(("row", "suite"))]
    """a timed row as benchmark.py judges it, or the checks of correctness.py"""
    language: str
    """what the file's suffix does not say: triton"""
    beside_baseline: bool
    """whether the case needs a baseline to attack; the others are judged beside the floor alone"""
    short: bool
    """whether a GPU judges the case by a row whose calls take less than their launch"""
    set: Mapping[str, float]
    """keys of the configuration that the case needs"""
    edit: tuple[Edit, ...]


@dataclass(frozen=True)
class Threat:
    """One case: its name, its file, what it declares."""

    name: str
    kind: str
    language: str
    path: Path
    declared: Declared

    @property
    def statuses(self) -> frozenset[Status]:
        """The endings that count as caught."""
        return frozenset(Status(one) for one in self.declared.caught_by)


def find_threats(kinds: Sequence[str] = KINDS) -> list[Threat]:
    """Every case of the given kinds, by name; UserError where one declares nonsense."""
    found: list[Threat] = []
    for kind in kinds:
        for path in sorted((ROOT / "tests" / kind).rglob("*")):
            if path.suffix == ".toml":
                found += _mutants(kind, path)
            elif path.suffix in LANGUAGES and path.stem != "honest":
                found.append(_headed(kind, path))
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"tests: expected one case named {name}, got {names.count(name)}")
    for one in found:
        _check(one)
    return found


def choose(threats: Sequence[Threat], device: str, only: str | None) -> list[Threat]:
    """The cases that a device runs, or those of the names given with commas between."""
    names = [one.name for one in threats]
    wanted = names if only is None else only.split(",")
    for name in wanted:
        if name not in names:
            raise UserError(f"--only: unknown case {name}; {suggest(name, names)}")
    return [one for one in threats if one.name in wanted and device in one.declared.devices]


def _headed(kind: str, path: Path) -> Threat:
    """A case whose file begins with TOML in comments, after the licence line."""
    comment = COMMENTS[path.suffix]
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    head = []
    for line in lines:
        if not line.startswith(comment):
            break
        head.append(line[len(comment) :])
    try:
        data = tomllib.loads("\n".join(head))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: its head is not TOML: {error}") from None
    declared = _parse(path, data)
    return Threat(path.stem, kind, declared.language or LANGUAGES[path.suffix], path, declared)


def _mutants(kind: str, path: Path) -> list[Threat]:
    """Cases that are edits of the honest sources, several in a file; its own keys hold for all."""
    back_end = path.stem.partition("_")[0]
    language = {"cpu": "c++"}.get(back_end, back_end)
    data = read_toml(path)
    common = {key: value for key, value in data.items() if not isinstance(value, dict)}
    return [
        Threat(name, kind, language, path, _parse(path, {**common, **own}))
        for name, own in data.items()
        if isinstance(own, dict)
    ]


def _parse(path: Path, data: Mapping[str, Any]) -> Declared:
    return Parser(str(path.relative_to(ROOT)), UserError).table(Declared, {**DEFAULTS, **data})


def _check(threat: Threat) -> None:
    declared, known = threat.declared, [one.value for one in Status]
    where = f"{threat.path.relative_to(ROOT)}: {threat.name}"
    for one in declared.caught_by:
        if one not in known:
            raise UserError(f"{where}: unknown status {one}; {suggest(one, known)}")
    if bool(declared.caught_by) == (threat.kind == "benign"):
        raise UserError(f"{where}: expected caught_by where a case must be caught, and only there")
    for device in declared.devices:
        if device not in DEVICES:
            raise UserError(f"{where}: unknown device {device}; {suggest(device, DEVICES)}")
