# SPDX-License-Identifier: Apache-2.0
"""Whether records were made by this repository on this solution."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from bench.ops import OPS
from bench.record.tree import changed_since, file_digest, tree_digest
from bench.task.config import Config, load_config, read_toml
from bench.task.errors import ConfigError
from bench.task.parse import Parser, Pattern
from bench.task.workload import Workload, Workloads, load_workloads

Record = Mapping[str, Any]
CHOSEN = ("solution.rounding",)
"""Keys that a claim may override: which rounding it is about is a part of it."""
LISTED_MAX = 5  # changed files named in one sentence
SINCE = Path("results") / "since.toml"


@dataclass(frozen=True)
class Changed:
    """[changed."bench/FILE"]"""

    sha256: Annotated[str, Pattern(r"[0-9a-f]{64}", "64 hexadecimal digits")]
    """that the file had when the committed results were measured"""
    why: str


@dataclass(frozen=True)
class Since:
    """The whole of results/since.toml.

    A repair of the judge need not void what was measured before it: the maintainers say so, file by
    file, and anybody can put the old digests in.
    """

    changed: Mapping[str, Changed]


@dataclass(frozen=True)
class Tree:
    """This repository and one solution: what records must have been made from."""

    root: Path
    config: Config
    workloads: Workloads
    digests: Mapping[str, str]
    """baseline/, bench/, solution/, workloads.json and config.toml -> sha256"""
    changed: Mapping[str, Changed]
    """files of bench/ that the repository declares as changed since its committed results"""

    @staticmethod
    def of(root: Path, solution: Path) -> Tree:
        """Read the files of a checkout; `solution` is the folder that was judged."""
        config = load_config(root / "config.toml")
        workloads = load_workloads(config.workloads_path, OPS, config.task.workloads_sha256)
        digests = {
            "baseline/": tree_digest(root / "baseline"),
            "bench/": tree_digest(root / "bench"),
            "solution/": tree_digest(solution),
            "workloads.json": file_digest(config.workloads_path),
            "config.toml": file_digest(config.path),
        }
        return Tree(root, config, workloads, digests, _changed(root / SINCE))

    @functools.cached_property
    def then(self) -> Mapping[str, str]:
        """The digests with those put in that the declared files had."""
        files = {name.removeprefix("bench/"): one.sha256 for name, one in self.changed.items()}
        return {**self.digests, "bench/": tree_digest(self.root / "bench", files)}

    @property
    def rows(self) -> list[Workload]:
        """The frozen rows of the task's ops, which a claim is about."""
        return self.workloads.of([OPS[name] for name in self.config.task.ops])

    def config_of(self, run: Record) -> Config:
        """The configuration of a run that overrides only what a claim may choose."""
        asked = {key: value for key, value in run["overrides"].items() if key in CHOSEN}
        return self.config.override(asked) if asked else self.config

    def differences(self, records: Sequence[Record]) -> Iterator[tuple[str, str]]:
        """What a run, or a resumption of it, had otherwise: the part, and a sentence."""
        seen = set()
        for record in records:
            if record["kind"] not in ("run", "resume"):
                continue
            origin = record["provenance"]
            stated = {f"{name}/": value for name, value in origin["tree_sha256"].items()}
            files = origin["file_sha256"]
            stated |= {"workloads.json": files["workloads"], "config.toml": files["config"]}
            for part, digest in self.digests.items():
                found = stated.get(part)
                if found != digest and found != self.then[part] and part not in seen:
                    seen.add(part)
                    yield part, self._sentence(part, found, origin)

    def _sentence(self, part: str, stated: object, origin: Record) -> str:
        text = f"{part} is another: {stated!s:.12} there, {self.digests[part]:.12} here"
        if part == "solution/":
            return text
        changed = changed_since(self.root, origin["git"]["revision"], [part.rstrip("/")])
        if not changed:
            return text
        more = f" and {len(changed) - LISTED_MAX} more" if len(changed) > LISTED_MAX else ""
        return f"{text}; since its commit: {', '.join(changed[:LISTED_MAX])}{more}"


def _changed(path: Path) -> Mapping[str, Changed]:
    if not path.is_file():
        return {}
    return Parser(path.name, ConfigError).table(Since, read_toml(path)).changed
