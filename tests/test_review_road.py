# SPDX-License-Identifier: Apache-2.0
"""From clone to accepted review by the document's commands; then each alteration is rejected."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import leaderboard
from bench.bundle.archive import write_archive
from bench.bundle.comment import comment
from bench.bundle.inspection import inspect
from bench.bundle.members import CHECKS, MANIFEST, RESULTS
from bench.bundle.requirements import benchmark_shortfalls, correctness_shortfalls
from bench.bundle.tree_match import Tree
from bench.bundle.verdict import Review, Verdict
from tests.altered_bundle import AlteredBundle, Records
from tests.clone import Clone
from tests.small_run import ROOT


class Road:
    """Where the bundle was made and where it is reviewed, and what each command said."""

    def __init__(self, folder: Path) -> None:
        self.mine, self.theirs = Clone(folder / "mine"), Clone(folder / "theirs")
        source = self.mine.tuned_source
        source.write_text(source.read_text() + "// tuned\n")
        self.said: dict[str, str] = {}
        self.codes: dict[str, int] = {}
        for line in document_lines():
            clone = self.theirs if "review.py" in line else self.mine
            done = clone.sh(line.replace("my-kernel.tar", str(self.bundle)))
            self.said[line], self.codes[line] = done.stdout, done.returncode

    @property
    def bundle(self) -> Path:
        return self.mine.folder / "my-kernel.tar"

    @property
    def altered(self) -> AlteredBundle:
        return AlteredBundle(self.bundle.read_bytes())


def document_lines() -> list[str]:
    text = (ROOT / "docs" / "submitting.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("python ")]


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> Road:
    return Road(tmp_path_factory.mktemp("road"))


def test_the_documents_commands_lead_from_a_clone_to_an_accepted_review(road: Road) -> None:
    for line, code in road.codes.items():
        assert code == 0, f"{line}\n{road.said[line]}"
    review = road.theirs.review()
    assert review["verdict"] == "ACCEPTED"
    assert review["findings"] == []
    assert [one["reproduced"] for one in review["comparisons"]] == [True] * 3
    assert review["here"]["checks"]["quick"] is True
    assert sum(review["here"]["checks"]["passed"].values()) > 800
    text = (road.theirs.folder / "review" / "comment.md").read_text()
    assert text == comment(review)
    assert text.startswith("## Review of my-kernel: ACCEPTED\n")


def test_an_accepted_bundle_beside_its_review_is_ranked(
    road: Road, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(road.bundle, tmp_path)
    shutil.copy(road.theirs.folder / "review" / "review.json", tmp_path)
    assert leaderboard.main([str(tmp_path), "--json"]) == 0
    (board,) = json.loads(capsys.readouterr().out)
    (entry,) = board["entries"]
    (claimed,) = road.theirs.review()["claimed"]["headlines"]
    assert (entry["rank"], entry["name"]) == (1, "my-kernel")
    assert entry["geomean"] == claimed["geomean"] and board["regime"] == "cold"


def test_the_same_inputs_give_the_same_bytes_and_a_review_leaves_its_folder_only(
    road: Road,
) -> None:
    before = road.bundle.read_bytes()
    done = road.mine.sh(
        'python bench/submit.py --name my-kernel --note "what was done" --out x.tar'
    )
    assert done.returncode == 0, done.stdout
    assert (road.mine.folder / "x.tar").read_bytes() == before
    made = {path.name for path in road.theirs.folder.iterdir()}
    assert made - {"baseline", "bench", "solution", "config.toml", "workloads.json"} == {"review"}


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


@pytest.mark.parametrize(("alter", "stage", "reason"), CASES)
def test_an_alteration_is_rejected_for_its_own_reason(
    road: Road,
    tmp_path: Path,
    alter: Alteration,
    stage: str,
    reason: str,
) -> None:
    path, review = tmp_path / "altered.tar", Review()
    path.write_bytes(alter(road.altered, tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    assert inspect(path, road.theirs.folder, work, review) is None
    assert review.verdict is Verdict.REJECTED
    assert {one.stage for one in review.remarks} == {stage}, review.remarks
    assert all(reason in one.text for one in review.remarks), review.remarks


def test_what_is_not_altered_passes_inspection(road: Road, tmp_path: Path) -> None:
    """The tool that seals anew adds no reason of its own to the rejections above."""
    bundle, review = road.altered, Review()
    bundle.change(RESULTS, lambda records: None)
    path = tmp_path / "same.tar"
    path.write_bytes(bundle.written())
    assert path.read_bytes() == road.bundle.read_bytes()
    (tmp_path / "work").mkdir()
    assert inspect(path, road.theirs.folder, tmp_path / "work", review) is not None
    assert review.verdict is Verdict.ACCEPTED


REFUSED = [
    pytest.param(name, edit, why[1], id=edit.__name__)
    for name, edits in RESEALED.items()
    for edit, why in edits.items()
    if why[0] in ("records", "tree")
]


@pytest.mark.parametrize(("name", "edit", "reason"), REFUSED)
def test_what_a_review_would_reject_is_not_packed_and_the_refusal_says_what_to_run(
    road: Road, name: str, edit: Callable[[Records], object], reason: str
) -> None:
    bundle, tree = road.altered, Tree.of(road.mine.folder, road.mine.folder / "solution")
    bundle.change(name, edit)
    results, checks = bundle.records(RESULTS), bundle.records(CHECKS)
    found = [*benchmark_shortfalls(results, tree), *correctness_shortfalls(checks, results, tree)]
    assert reason in found[0].text
    program = "benchmark.py" if name == RESULTS else "correctness.py --report"
    assert f"; run: python bench/{program}" in str(found[0])


def test_submit_refuses_in_one_sentence_and_writes_nothing(road: Road) -> None:
    for clone, reason in (
        (road.theirs, "results.jsonl: expected the file of a run, got none; run: python bench"),
        (road.mine, "results: solution/ is another: "),
    ):
        if clone is road.mine:
            before = clone.tuned_source.read_text()
            clone.tuned_source.write_text(before + "// tuned more\n")
        done = clone.sh("python bench/submit.py --name refused")
        if clone is road.mine:
            clone.tuned_source.write_text(before)
        assert done.returncode == 2
        assert done.stdout.startswith(f"error: {reason}")
        assert done.stdout.count("\n") == 1
        assert not (clone.folder / "refused.tar").exists()


def test_a_wrong_solution_with_honest_looking_records_fails_on_secret_inputs(
    road: Road, tmp_path: Path
) -> None:
    bundle = road.altered
    name = "solution/cpu/residual_gate_add.cc"
    source = bundle.members[name]
    bundle.members[name] = source.replace(b"round_to<T>(update * gate)", b"(update * gate)")
    assert bundle.members[name] != source
    bundle.claim_this_solution(tmp_path)
    (tmp_path / "wrong.tar").write_bytes(bundle.written())
    done = road.theirs.sh(f"python bench/review.py {tmp_path / 'wrong.tar'} --out wrong")
    assert done.returncode == 1, done.stdout
    review = road.theirs.review("wrong")
    assert {one["stage"] for one in review["findings"]} == {"correctness"}
    assert review["comparisons"] == [], "nothing is timed that is wrong"
