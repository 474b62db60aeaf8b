# SPDX-License-Identifier: Apache-2.0
"""Whether records were made by this repository on this solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.ops import OPS
from bench.record.tree import changed_since, file_digest, tree_digest
from bench.task.config import Config, load_config, read_toml
from bench.task.workload import Workload, Workloads, load_workloads

Record = Mapping[str, Any]
CHOSEN = ("solution.rounding",)
"""Keys that a claim may override: which rounding it is about is a part of it."""
LISTED_MAX = 5  # changed files named in one sentence
SINCE = Path("results") / "since.toml"


@dataclass(frozen=True)
class Tree:
    """This repository and one solution: what records must have been made from."""

    root: Path
    config: Config
    workloads: Workloads
    digests: Mapping[str, str]
    """baseline/, bench/, solution/, workloads.json and config.toml -> sha256"""
    bench_then: str
    """of bench/ when the committed results were measured, by what the repository declares"""

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
        changed = {name.removeprefix("bench/"): then for name, then in changed_files(root).items()}
        return Tree(root, config, workloads, digests, tree_digest(root / "bench", changed))

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
                known = {digest, self.bench_then} if part == "bench/" else {digest}
                if stated.get(part) not in known and part not in seen:
                    seen.add(part)
                    yield part, self._sentence(part, stated.get(part), origin)

    def _sentence(self, part: str, stated: object, origin: Record) -> str:
        text = f"{part} is another: {stated!s:.12} there, {self.digests[part]:.12} here"
        if part == "solution/":
            return text
        changed = changed_since(self.root, origin["git"]["revision"], [part.rstrip("/")])
        if not changed:
            return text
        more = f" and {len(changed) - LISTED_MAX} more" if len(changed) > LISTED_MAX else ""
        return f"{text}; since its commit: {', '.join(changed[:LISTED_MAX])}{more}"


def changed_files(root: Path) -> dict[str, str]:
    """Files of bench/ that changed since the committed results, with the sha256 they had then.

    A repair of the judge need not void what was measured before it: the maintainers say so, file by
    file, and anybody can put the old digests in.
    """
    path = root / SINCE
    if not path.is_file():
        return {}
    return {name: one["sha256"] for name, one in read_toml(path)["changed"].items()}
