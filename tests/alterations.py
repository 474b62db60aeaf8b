# SPDX-License-Identifier: Apache-2.0
"""Ways to alter a bundle, most of them sealed anew, each with the reason that must reject it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.bundle.archive import write_archive
from bench.bundle.members import CHECKS, MANIFEST, RESULTS
from tests.altered_bundle import AlteredBundle, Records

Alteration = Callable[[AlteredBundle, Path], bytes]


def a_byte_of_a_source(bundle: AlteredBundle, _: Path) -> bytes:
    whole = bundle.written()
    return whole.replace(b"// tuned\n", b"// tunes\n")


def a_source_and_the_manifest(bundle: AlteredBundle, _: Path) -> bytes:
    bundle.members["solution/cpu/residual_gate_add.cc"] += b"// more\n"
    return bundle.written()


def a_source_more(bundle: AlteredBundle, _: Path) -> bytes:
    bundle.members["solution/include/more.h"] = b"// more\n"
    return bundle.written()


def another_environment(bundle: AlteredBundle, _: Path) -> bytes:
    bundle.written()
    stated = json.loads(bundle.members[MANIFEST])
    stated["environment"]["device"]["name"] = "NVIDIA H200"
    bundle.members[MANIFEST] = json.dumps(stated).encode()
    return write_archive(bundle.members)


def a_digit_of_a_result(bundle: AlteredBundle, _: Path) -> bytes:
    lines = bundle.members[RESULTS].splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"passed":true', b'"passed":null')
    bundle.members[RESULTS] = b"".join(lines)
    return bundle.written()


def a_line_dropped(bundle: AlteredBundle, _: Path) -> bytes:
    lines = bundle.members[CHECKS].splitlines(keepends=True)
    bundle.members[CHECKS] = b"".join([*lines[:40], *lines[41:]])
    return bundle.written()


def resealed(name: str, edit: Callable[[Records], object]) -> Alteration:
    def alter(bundle: AlteredBundle, _: Path) -> bytes:
        bundle.change(name, edit)
        return bundle.written()

    return alter


def bench_of(records: Records) -> dict[str, Any]:
    return next(one for one in records if one["kind"] == "bench")


def trials_of(records: Records) -> list[dict[str, Any]]:
    trials: list[dict[str, Any]] = next(one for one in records if one["kind"] == "trials")["trials"]
    return trials


def a_better_speedup(records: Records) -> None:
    bench_of(records)["regimes"]["cold"]["speedup"]["value"] *= 1.01


def a_better_headline(records: Records) -> None:
    records[-1]["headlines"][0]["geomean"]["high"] *= 1.01


def a_better_sample(records: Records) -> None:
    us = trials_of(records)[0]["us"]["cold"]
    us["solution each_step 0"] /= 2


def another_seed_of_the_draws(records: Records) -> None:
    bench_of(records)["draws_seed"] += 1


def a_trial_left_out(records: Records) -> None:
    trials_of(records).pop()


def a_player_left_out(records: Records) -> None:
    for trial in trials_of(records):
        del trial["us"]["cold"]["solution each_step 1"]


def a_trial_marked(records: Records) -> None:
    bench_of(records)["marked_trials"] = 1


def a_policy_of_ones_own(records: Records) -> None:
    records[0]["config"]["benchmark"]["trials"] = 1


def an_override(records: Records) -> None:
    records[0]["overrides"]["benchmark.trials"] = 1


def another_baseline(records: Records) -> None:
    records[0]["provenance"]["tree_sha256"]["baseline"] = "0" * 64


def another_judge(records: Records) -> None:
    records[0]["provenance"]["tree_sha256"]["bench"] = "0" * 64


def other_rows(records: Records) -> None:
    records[0]["provenance"]["file_sha256"]["workloads"] = "0" * 64


def no_headline(records: Records) -> None:
    records[-1].update(headlines=[], no_headline_because=["a row failed"])


def a_noisy_control(records: Records) -> None:
    control = bench_of(records)["regimes"]["cold"]["control"]
    control["baseline"] = {"value": 1.3, "low": 1.2, "high": 1.4}


def a_failure_left_out(records: Records) -> None:
    del records[-2]


def a_failure_kept(records: Records) -> None:
    records[-2]["status"] = "INCORRECT"


def a_quick_run(records: Records) -> None:
    records[0]["quick"] = True


def another_device(records: Records) -> None:
    records[0]["provenance"]["device"]["name"] = "another"


def words_for_numbers(records: Records) -> None:
    trials_of(records)[0]["us"] = "fast"


ALTERATIONS = {
    a_byte_of_a_source: ("manifest", "residual_gate_add.cc: is not what the manifest says"),
    another_environment: ("manifest", "is not the one that bench/submit.py writes"),
    a_source_and_the_manifest: ("tree", "solution/ is another"),
    a_source_more: ("tree", "solution/ is another"),
    a_digit_of_a_result: ("records", "was altered after it was written"),
    a_line_dropped: ("records", "line 41: does not follow the line before it"),
}
RESEALED = {
    RESULTS: {
        a_better_speedup: ("statistics", "small_gate: each_step.regimes.cold.speedup.value: the"),
        a_better_headline: ("statistics", "headlines[0].geomean.high: the samples give"),
        a_better_sample: ("statistics", "cold of solution each_step 0: is not the mean of its"),
        another_seed_of_the_draws: ("statistics", "draws_seed: the samples give"),
        a_trial_left_out: ("statistics", "2 trials are not where the stopping rule ends a row"),
        a_player_left_out: ("statistics", "expected one sample of each of 6 players"),
        words_for_numbers: ("statistics", "not of the form that the judge writes"),
        a_trial_marked: ("records", "1 trials were throttled or contended"),
        a_policy_of_ones_own: ("records", "the configuration is not config.toml's"),
        an_override: ("records", "benchmark.trials was overridden by a flag"),
        no_headline: ("records", "expected a headline, got none: a row failed"),
        a_noisy_control: ("records", "null control of the baseline lies at [1.200, 1.400]"),
        another_baseline: ("tree", "baseline/ is another: 000000000000 there"),
        another_judge: ("tree", "bench/ is another"),
        other_rows: ("tree", "workloads.json is another"),
    },
    CHECKS: {
        a_failure_left_out: ("records", "not all passed: the counts are not its own"),
        a_failure_kept: ("records", "not all passed: refusal at entry is INCORRECT"),
        a_quick_run: ("records", "only a selection was checked"),
        another_device: ("records", "made on another device than the results"),
    },
}
CASES = [pytest.param(alter, *why, id=alter.__name__) for alter, why in ALTERATIONS.items()]
CASES += [
    pytest.param(resealed(name, edit), *why, id=f"{edit.__name__} in {name}")
    for name, edits in RESEALED.items()
    for edit, why in edits.items()
]
