# SPDX-License-Identifier: Apache-2.0
"""What results and checks must be to be handed in, and the command that mends a shortfall."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.bundle.tree_match import CHOSEN, Tree
from bench.judge.contenders import HEADLINE
from bench.record.results import is_complete
from bench.timing.statistics import LARGEST_NOISE

Record = Mapping[str, Any]
Records = Sequence[dict[str, Any]]
BENCHMARK = "python bench/benchmark.py"
PINNED = f"{BENCHMARK} --pick-idle-gpu"
CORRECTNESS = "python bench/correctness.py --report correctness.jsonl"


@dataclass(frozen=True)
class Shortfall:
    """One thing that is lacking, and what to run."""

    text: str
    command: str

    def __str__(self) -> str:
        return f"{self.text}; run: {self.command}"


def benchmark_shortfalls(records: Records, tree: Tree) -> Iterator[Shortfall]:
    """What results lack, in the order in which it is to be mended."""
    run, end = records[0], records[-1]
    device = run["provenance"]["device"]
    again = PINNED if device["type"] == "cuda" else BENCHMARK
    if run["command"] != "benchmark":
        yield Shortfall(f"results: expected a benchmark's, got a file of {run['command']}", again)
        return
    if not is_complete(list(records)):
        yield Shortfall("results: the run did not come to its end", f"{BENCHMARK} --resume")
        return
    again += _rounding_flag(run, tree)
    for _, sentence in tree.differences(records):
        yield Shortfall(f"results: {sentence}", again)
    yield from _common("results", run, tree, again)
    if end["passed"] is not True or not end["headlines"]:
        reasons = "; ".join(map(str, end["no_headline_because"])) or "a row failed"
        yield Shortfall(f"results: expected a headline, got none: {reasons}", again)
        return
    if len(set(run["roundings"])) != len(run["roundings"]):
        yield Shortfall("results: expected each rounding once", again)
    if device["type"] == "cuda" and not re.fullmatch(r"\d+\.\d+", device["compute_capability"]):
        yield Shortfall("results: the GPU's compute capability is none", again)
    if device["type"] == "cuda" and device["pinned"] is not True:
        yield Shortfall("results: the GPU was not pinned", PINNED)
    if any(_device(one) != _device(run) for one in records if one["kind"] == "resume"):
        yield Shortfall("results: the run went on on another device", again)
    for record in records:
        if record["kind"] == "bench":
            yield from _noisy(record, HEADLINE[device["type"]], again)


def correctness_shortfalls(checks: Records, results: Records, tree: Tree) -> Iterator[Shortfall]:
    """What a file of checks lacks beside these results."""
    run, end = checks[0], checks[-1]
    if run["command"] != "correctness":
        text = f"checks: expected a correctness run's, got a file of {run['command']}"
        yield Shortfall(text, CORRECTNESS)
        return
    if not is_complete(list(checks)):
        yield Shortfall("checks: the run did not come to its end", CORRECTNESS)
        return
    roundings = results[0]["roundings"]
    again = CORRECTNESS + _rounding_flag(results[0], tree)
    for _, sentence in tree.differences(checks):
        yield Shortfall(f"checks: {sentence}", again)
    yield from _common("checks", run, tree, again)
    if run["quick"] is not False or run["grid"] is not True or len(run["sides"]) != 2:
        yield Shortfall("checks: only a selection was checked", again)
    if not set(roundings) <= set(run["roundings"]):
        yield Shortfall(f"checks: of {run['roundings']}, the results are of {roundings}", again)
    if _device(run) != _device(results[0]):
        yield Shortfall("checks: were made on another device than the results", again)
    yield from _unpassed(checks, end, tree, roundings, again)


def _rounding_flag(run: Record, tree: Tree) -> str:
    """What makes a run of these roundings anew."""
    roundings = run["roundings"]
    if roundings == [tree.config.solution.rounding.value]:
        return ""
    return f" --rounding {roundings[0] if len(roundings) == 1 else 'both'}"


def _common(name: str, run: Record, tree: Tree, again: str) -> Iterator[Shortfall]:
    other = sorted(set(run["overrides"]) - set(CHOSEN))
    if other:
        yield Shortfall(f"{name}: {', '.join(other)} was overridden by a flag", again)
    if run["frozen"] is not True or not tree.workloads.frozen:
        yield Shortfall(f"{name}: the workloads are not frozen", again)
    if run["rows"] != [row.id for row in tree.rows]:
        yield Shortfall(f"{name}: not every frozen row was chosen", again)
    if not other and run["config"] != tree.config_of(run).resolved():
        yield Shortfall(f"{name}: the configuration is not config.toml's", again)


def _noisy(bench: Record, regime: str, again: str) -> Iterator[Shortfall]:
    """A row whose machine was suspect, or whose null control sees what cannot be there."""
    at = f"results: {bench['workload']} {bench['rounding']}"
    if bench["marked_trials"]:
        text = f"{bench['marked_trials']} trials were throttled or contended"
        yield Shortfall(f"{at}: {text}", f"{again}, on a machine that nobody else uses")
    for side, one in bench["regimes"][regime]["control"].items():
        if one["low"] > 1 + LARGEST_NOISE or one["high"] < 1 / (1 + LARGEST_NOISE):
            yield Shortfall(
                f"{at}: the null control of the {side} lies at [{one['low']:.3f},"
                f" {one['high']:.3f}], wholly more than {LARGEST_NOISE:.0%} from 1",
                f"{again}, on a machine that nobody else uses",
            )


def _unpassed(
    checks: Records, end: Record, tree: Tree, roundings: Sequence[str], again: str
) -> Iterator[Shortfall]:
    found = [one for one in checks if one["kind"] == "check"]
    bad = [one for one in found if one["status"] != "PASSED"]
    counted = dict(Counter(one["check"] for one in found))
    if bad or end["verdict"] != "PASS" or not end["checks"] == end["passed"] == counted:
        what = f"{bad[0]['check']} is {bad[0]['status']}" if bad else "the counts are not its own"
        yield Shortfall(f"checks: not all passed: {what}", again)
    passed = {(one["workload"], one["rounding"]) for one in found if one["side"] == "solution"}
    wanted = {(row.id, rounding) for row in tree.rows for rounding in roundings}
    if lacking := sorted(wanted - passed):
        yield Shortfall(f"checks: expected one of {lacking[0][0]}, got none", again)


def _device(record: Record) -> tuple[object, ...]:
    device = record["provenance"]["device"]
    return device["type"], device["name"], device["uuid"]
