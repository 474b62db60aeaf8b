# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import subprocess

import pytest

from bench import compare
from bench.task.errors import UserError
from tests.reports.made_results import ROWS, records, write


@pytest.fixture
def two(tmp_path):
    """Compares two lists of records with these flags: the exit code and what was printed."""

    def run(a, b, *flags):
        paths = [write(tmp_path / name, one) for name, one in (("a.jsonl", a), ("b.jsonl", b))]
        return compare.main([*map(str, paths), *flags])

    return run


def scaled(eager, solution):
    return {name: (one * eager, two * solution) for name, (one, two) in ROWS.items()}


def verdicts(capsys):
    return {one["workload"]: one for one in json.loads(capsys.readouterr().out)["rows"]}


@pytest.mark.parametrize(
    ("factor", "word"), [(0.8, "FAST"), (1.25, "SLOW"), (1.0, "SAME"), (1.002, "SAME")]
)
def test_verdict_says_whether_b_is_faster_than_a(two, capsys, factor, word):
    assert two(records(), records(scaled(1, factor), seed=1), "--json") == 0
    rows = verdicts(capsys)
    assert {one["verdict"] for one in rows.values()} == {word}
    for one in rows.values():
        assert (
            one["change"]["low"] <= 1 / factor * 1.002 and one["change"]["high"] >= 0.998 / factor
        )


def test_a_slower_machine_moves_times_and_not_speedups(two, capsys):
    assert two(records(), records(scaled(1.3, 1.3), seed=1), "--json") == 0
    for one in verdicts(capsys).values():
        assert one["verdict"] == "SAME"
        assert one["time_change"]["high"] < 0.8


def test_scatter_that_hides_a_difference_is_ambiguous(two, capsys):
    noisy = {"noise": 0.001, "scatter": 0.1}
    assert two(records(**noisy), records(scaled(1, 0.97), seed=1, **noisy), "--json") == 0
    assert "AMBIGUOUS" in {one["verdict"] for one in verdicts(capsys).values()}


def test_the_noisier_of_the_two_controls_counts(two, capsys):
    assert two(records(noise=0.09), records(scaled(1, 0.95), seed=1), "--json") == 0
    assert {one["verdict"] for one in verdicts(capsys).values()} == {"SAME"}


def test_two_independent_runs_are_not_drawn_alike(two, capsys):
    """A file against itself: one seed for both would give an interval of no width."""
    assert two(records(), records(), "--json") == 0
    for one in verdicts(capsys).values():
        assert one["change"]["low"] < 1 < one["change"]["high"]


def differing(name):
    other = records(regimes=("cold",)) if name == "regimes" else records(seed=1)
    run, origin = other[0], other[0]["provenance"]
    {
        "gpu": lambda: origin["device"].update(name="another GPU"),
        "workloads": lambda: origin["file_sha256"].update(workloads="0" * 64),
        "timer": lambda: origin.update(timer="wall_clock"),
        "baseline": lambda: origin["tree_sha256"].update(baseline="0" * 64),
        "policy": lambda: run["config"]["benchmark"].update(trials=3),
        "regimes": lambda: None,
    }[name]()
    return other


@pytest.mark.parametrize("name", compare.DIFFERENCES)
def test_unlike_runs_are_refused_unless_allowed_and_then_every_line_says_so(two, capsys, name):
    with pytest.raises(UserError, match=rf"the same {name}.*--allow {name}"):
        two(records(), differing(name))
    assert two(records(), differing(name), "--allow", name) == 0
    lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if re.search(r"row_[ab] |geomean", line)]
    assert len(told) == 3 and all(
        "NOT ALIKE" in line or line.rstrip().endswith(name) for line in told
    )


def test_allowing_one_difference_allows_no_other(two):
    other = differing("gpu")
    other[0]["provenance"]["timer"] = "wall_clock"
    with pytest.raises(UserError, match="the same timer"):
        two(records(), other, "--allow", "gpu")


@pytest.mark.parametrize(("factor", "percent", "code"), [(1.2, 5, 1), (1.2, 30, 0), (0.8, 0, 0)])
def test_fail_if_slower_is_for_differences_beyond_it(two, capsys, factor, percent, code):
    flags = ("--fail-if-slower", str(percent))
    assert two(records(), records(scaled(1, factor), seed=1), *flags) == code
    assert ("row_a" in capsys.readouterr().err) == bool(code)


def test_one_slow_row_fails_though_the_mean_is_faster(two):
    mixed = {"row_a": (100.0, 60.0), "row_b": (60.0, 10.0)}
    assert two(records(), records(mixed, seed=1), "--fail-if-slower", "5") == 1


def test_a_row_that_b_lacks_is_said_and_fails(two, capsys):
    fewer = records({"row_a": ROWS["row_a"]}, seed=1)
    assert two(records(), fewer) == 0
    assert "Missing in B: row_b each_step call" in capsys.readouterr().out
    assert two(records(), fewer, "--fail-if-slower", "5") == 1


def test_two_folders_are_benchmarked_alike_first(tmp_path, monkeypatch, capsys):
    asked = []

    def run(command, **_):
        asked.append(command)
        write(tmp_path / "out" / f"{'ab'[len(asked) - 1]}.jsonl", records(seed=len(asked)))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    folders = [str(tmp_path / name) for name in ("old", "new")]
    flags = [f"--out={tmp_path / 'out'}", "--benchmark=--device cpu"]
    assert compare.main([*folders, *flags]) == 0
    assert [command[command.index("--solution") + 1] for command in asked] == folders
    assert all(command[-2:] == ["--device", "cpu"] for command in asked)
    assert asked[0][-3] != asked[1][-3]  # where each goes
    assert "row_a" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--allow", "gpus"], "did you mean gpu"),
        (["--regime", "warm"], "unknown warm"),
        (["--fail-if-slower", "-1"], "expected 0 or more"),
        (["--benchmark=--device cpu"], "two folders"),
    ],
)
def test_wrong_request_is_one_sentence(two, flags, sentence):
    with pytest.raises(UserError, match=sentence):
        two(records(), records(seed=1), *flags)


def test_strange_records_are_one_sentence(two):
    strange = records()
    del strange[0]["provenance"]["timer"]
    with pytest.raises(UserError, match="'timer'"):
        two(records(), strange)
