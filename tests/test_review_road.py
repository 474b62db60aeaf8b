# SPDX-License-Identifier: Apache-2.0
"""From clone to accepted review by the document's commands; then each alteration is rejected."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import leaderboard
from bench.bundle.comment import comment
from bench.bundle.inspection import inspect
from bench.bundle.members import CHECKS, RESULTS
from bench.bundle.requirements import benchmark_shortfalls, correctness_shortfalls
from bench.bundle.tree_match import Tree
from bench.bundle.verdict import Review, Verdict
from tests.alterations import CASES, RESEALED, Alteration
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
    name = "solution/include/gate.h"
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
