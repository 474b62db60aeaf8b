# SPDX-License-Identifier: Apache-2.0
"""What the reviewer's own runs lead to, and how a review reads."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench import review as review_command
from bench.bundle.agreement import Claim, compare_claims
from bench.bundle.comment import comment
from bench.bundle.rerun import weigh_benchmark, weigh_checks, weigh_compiled
from bench.bundle.tree_match import Tree
from bench.bundle.verdict import EXIT_CODE, Review, Verdict
from bench.judge.absent_device import absent_sides, check_absent_device
from bench.judge.checker import Check
from bench.ops import OPS
from bench.task.config import load_config
from bench.task.errors import UserError
from bench.task.op import Op
from bench.timing.statistics import Interval
from tests.small_run import ROOT


def claim(low: float, high: float, noise: float = 0.0) -> Claim:
    return Claim("row", "once", Interval((low + high) / 2, low, high), noise)


@pytest.mark.parametrize(
    ("claimed", "measured", "reproduced", "surpassed"),
    [
        (claim(1.50, 1.60), claim(1.55, 1.65), True, False),
        (claim(1.50, 1.60), claim(1.40, 1.495), True, False),  # within the margin of 1 %
        (claim(1.50, 1.60), claim(1.40, 1.48), False, False),
        (claim(1.50, 1.60), claim(1.40, 1.48, noise=0.02), True, False),
        (claim(1.50, 1.60, noise=9.0), claim(1.00, 1.30), False, False),  # noise excuses a tenth
        (claim(1.50, 1.60), claim(1.70, 1.80), True, True),
    ],
)
def test_a_claim_is_reproduced_unless_it_lies_wholly_above(
    claimed: Claim, measured: Claim, reproduced: bool, surpassed: bool
) -> None:
    (one,) = compare_claims([claimed], [measured], least_margin=0.01)
    assert (one.reproduced, one.surpassed) == (reproduced, surpassed)


def check(
    side: str | None = "solution", status: str = "PASSED", kind: str = "grid"
) -> dict[str, Any]:
    return {
        "kind": "check",
        "side": side,
        "status": status,
        "check": kind,
        "op": "residual_gate_add",
        "workload": None,
        "text": "words",
    }


def checked(*checks: dict[str, Any], here: str = "cpu", claimed: str = "cpu") -> Review:
    review = Review(claimed={"device": {"type": claimed}})
    device = {"type": here, "name": "some processor"}
    run = {"kind": "run", "quick": True, "provenance": {"device": device}}
    end = {"kind": "end", "seed": 1, "checks": {"grid": 1}, "passed": {"grid": 1}}
    weigh_checks([run, *checks, end], review)
    return review


def test_what_the_solution_does_wrong_rejects_it_and_what_fails_without_it_does_not() -> None:
    assert checked(check()).verdict is Verdict.ACCEPTED
    assert checked(check(status="INCORRECT")).verdict is Verdict.REJECTED
    assert checked(check(status="BUILD_FAILED", kind="load")).verdict is Verdict.REJECTED
    assert checked(check(status="NOT_IMPLEMENTED", kind="load")).verdict is Verdict.REJECTED
    for other in (check("baseline", "CRASHED"), check(None, "INCORRECT", "self-test")):
        assert checked(other).verdict is Verdict.NOT_VERIFIABLE_HERE
    assert checked(check(status="OUT_OF_MEMORY")).verdict is Verdict.NOT_VERIFIABLE_HERE
    assert checked(check(status="INCORRECT")).verified == []


def test_a_missing_cpu_back_end_is_no_fault_where_a_gpu_is_claimed() -> None:
    missing = check(status="NOT_IMPLEMENTED", kind="load")
    review = checked(missing, claimed="cuda")
    assert review.verdict is Verdict.NOT_VERIFIABLE_HERE
    assert "residual_gate_add has no back end for a cpu" in review.remarks[0].text


def test_many_failures_are_told_once_and_counted() -> None:
    review = checked(*[check(status="INCORRECT")] * 9)
    assert len(review.remarks) == 6
    assert review.remarks[-1].text == "and 4 checks more"


def timed(
    low: float, high: float, *checks: dict[str, Any], uuid: str | None = None
) -> list[dict[str, Any]]:
    speedup = {"value": (low + high) / 2, "low": low, "high": high}
    regimes = {"cold": {"speedup": speedup, "noise": 0.0}}
    one = {"rounding": "once", "geomean": speedup, "noise": 0.0, "marked_trials": 0}
    return [
        {"kind": "run", "provenance": {"device": {"type": "cpu", "uuid": uuid}}},
        *checks,
        {"kind": "bench", "workload": "row", "rounding": "once", "regimes": regimes},
        {"kind": "end", "headlines": [] if checks else [one], "no_headline_because": ["a row"]},
    ]


def benchmarked(records: list[dict[str, Any]], uuid: str | None = "GPU-1") -> Review:
    whole = Claim("headline", "once", Interval(1, 1, 1), 0.0)
    review = Review(claims=[claim(1.5, 1.6), whole], claimed={"device": {"uuid": uuid}})
    weigh_benchmark(records, review, 0.01, lambda _: None)
    return review


def test_times_decide_only_where_every_timed_output_was_right() -> None:
    assert benchmarked(timed(1.5, 1.6)).verdict is Verdict.ACCEPTED
    assert benchmarked(timed(1.9, 2.0)).verdict is Verdict.ACCEPTED
    assert "more was measured than claimed" in benchmarked(timed(1.9, 2.0)).remarks[0].text
    slower = benchmarked(timed(1.3, 1.4))
    assert slower.verdict is Verdict.NOT_REPRODUCED
    assert slower.verified == ["timing: 0 of 1 rows reproduced here"]
    wrong = benchmarked(timed(1.5, 1.6, check(status="IMPOSSIBLE_TIME", kind="timing")))
    assert wrong.verdict is Verdict.REJECTED
    assert wrong.comparisons == []
    failed = benchmarked(timed(1.5, 1.6, check("baseline", "OUT_OF_MEMORY", "timing")))
    assert failed.verdict is Verdict.NOT_VERIFIABLE_HERE


def test_another_device_may_read_further_below_the_claim_than_the_same_one() -> None:
    less = timed(1.4, 1.47, uuid="GPU-1")
    assert benchmarked(less).verdict is Verdict.NOT_REPRODUCED
    assert benchmarked(less, uuid="GPU-2").verdict is Verdict.ACCEPTED
    assert benchmarked(timed(1.4, 1.47), uuid=None).verdict is Verdict.ACCEPTED  # two CPUs
    assert benchmarked(timed(1.3, 1.44), uuid="GPU-2").verdict is Verdict.NOT_REPRODUCED


def test_a_reviewers_own_module_path_reaches_the_commands_behind_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/where/modules/are")
    passed = {}

    def run(words: list[str], **options: Any) -> SimpleNamespace:
        passed.update(options["env"])
        return SimpleNamespace(returncode=2)

    monkeypatch.setattr(review_command.subprocess, "run", run)
    arguments = review_command.parser().parse_args(["a bundle"])
    review = Review(claimed={"device": {"type": "cpu"}, "roundings": ["once"]})
    inspected = SimpleNamespace(folder=tmp_path)
    with pytest.raises(UserError, match="correctness ended with exit code 2"):
        review_command.Reviewer(arguments, inspected, review).run()
    assert passed["PYTHONPATH"] == f"{ROOT}{os.pathsep}/where/modules/are"


def test_of_a_gpu_that_is_not_here_the_ops_of_the_task_are_compiled_and_no_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled: list[str] = []

    def build_all(sides: object, ops: list[Op], *_: object) -> None:
        compiled.extend(op.name for op in ops)

    monkeypatch.setattr(review_command, "find_nvcc", lambda: "nvcc")
    monkeypatch.setattr(review_command, "build_all", build_all)
    for name in ("check_absent_device", "weigh_compiled"):
        monkeypatch.setattr(review_command, name, lambda *_: None)
    arguments = review_command.parser().parse_args(["a bundle"])
    device = {"type": "cuda", "compute_capability": "9.0"}
    review = Review(claimed={"device": device, "roundings": ["once"]})
    tree = Tree.of(ROOT, ROOT / "solution")
    review_command.Reviewer(
        arguments, SimpleNamespace(folder=tmp_path, tree=tree), review
    )._compile()
    assert compiled == list(tree.config.task.ops)


def test_the_gravest_remark_decides_and_each_verdict_has_an_exit_code_of_its_own() -> None:
    review = Review()
    for verdict in Verdict:
        review.add(verdict, "timing", "")
        assert review.verdict is verdict
        review.add(Verdict.ACCEPTED, "timing", "a note")
        assert review.verdict is verdict
    assert sorted(EXIT_CODE.values()) == [0, 1, 3, 4], "2 is no verdict"


def test_nothing_of_a_bundle_formats_the_comment_or_reaches_a_terminal() -> None:
    review = Review("0" * 64, "name", "<img src=x> [a](b) @everyone `x` | y")
    review.add(Verdict.REJECTED, "records", "\x1b[2J# title\n\n- [x] **done** <b>")
    assert "\x1b" not in review.remarks[0].text
    text = comment(review.record())
    for part in ("<img", "[a](b)", "@everyone", "`x`", "\n# title", "[x]", "**done**", "<b>"):
        assert part not in text, part
    assert text.startswith("## Review of name: REJECTED\n")


def test_a_bundle_that_is_none_is_rejected_in_writing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, out = tmp_path / "bundle.tar", tmp_path / "out"
    bundle.write_bytes(b"no bundle")
    assert review_command.main([str(bundle), "--out", str(out)]) == 1
    assert capsys.readouterr().out.count("REJECTED") == 2
    record = json.loads((out / "review.json").read_text())
    assert record["verdict"] == "REJECTED" and record["name"] is None
    assert record["findings"][0]["stage"] == "open"
    assert "REJECTED" in (out / "comment.md").read_text()
    with (tmp_path / "zeros.tar").open("wb") as file:
        file.truncate(10 << 30)
    assert review_command.main([str(tmp_path / "zeros.tar"), "--out", str(out), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["bundle_sha256"] is None
    assert {one.name for one in tmp_path.iterdir()} == {"bundle.tar", "zeros.tar", "out"}


def test_a_bundle_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing\.tar: expected a readable file"):
        review_command.main([str(tmp_path / "missing.tar"), "--out", str(tmp_path / "out")])
    assert list(tmp_path.iterdir()) == []


needs_nvcc = pytest.mark.skipif(
    not (shutil.which("nvcc") or Path("/usr/local/cuda/bin/nvcc").exists()),
    reason="no nvcc on PATH or in /usr/local/cuda: the .cu files cannot be compiled here",
)


@needs_nvcc
def test_cuda_sources_are_compiled_for_a_gpu_that_is_not_here(tmp_path: Path) -> None:
    config = load_config(ROOT / "config.toml")
    folder, found = tmp_path / "solution", list[Check]()
    shutil.copytree(ROOT / "solution", folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / "cuda" / "broadcast_add_4d.cu"
    source.write_text("int broken(\n")
    (side,) = absent_sides(config, tmp_path, tmp_path / "cache", ["each_step"], "sm_90")
    check_absent_device(side, list(OPS.values()), config.correctness, found.append)
    loads = {one.op: one.finding for one in found if one.check == "load"}
    assert loads["residual_gate_add"].passed
    assert "broadcast_add_4d.cu does not compile" in loads["broadcast_add_4d"].text
    refusals = [one for one in found if one.check == "refusal at entry"]
    assert len(refusals) > 50 and all(one.finding.passed for one in refusals)
    review = Review()
    weigh_compiled(found, "sm_90", review)
    assert review.verdict is Verdict.REJECTED
    assert [one.stage for one in review.remarks] == ["build"]
