# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import json
import runpy
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from bench import gauntlet
from bench.record.status import Status
from bench.record.toolchain import find_nvcc
from bench.task.checkout import ROOT
from bench.task.config import load_config
from bench.task.device import resolve_device
from bench.task.errors import UserError
from bench.threats import table
from bench.threats.case import choose, find_threats
from bench.threats.folder import edited, with_entry, write_folder
from bench.threats.trial import Outcome, run_trial, write_side

THREATS = find_threats()
BY_NAME = {one.name: one for one in THREATS}


def trial(name):
    config, device = load_config(ROOT / "config.toml"), resolve_device("cpu")
    with tempfile.TemporaryDirectory() as scratch:
        side = write_side(BY_NAME[name], config, device, Path(scratch))
        return run_trial(BY_NAME[name], config, device, side)


def outcome(name, status):
    return Outcome(BY_NAME[name], status, "production", "", 1.0)


def test_there_are_enough_cases_in_every_language_and_family():
    kinds = Counter(one.kind for one in THREATS)
    assert kinds["cheaters"] >= 40
    assert kinds["mutants"] >= 30
    assert kinds["benign"] >= 8
    cheaters = [one for one in THREATS if one.kind == "cheaters"]
    assert {one.language for one in cheaters} == {"python", "c++", "cuda", "triton"}
    assert {one.declared.family for one in cheaters} >= {"A.1", "A.2", "A.3"}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_case_becomes_a_solution_folder(name, tmp_path):
    write_folder(BY_NAME[name], tmp_path / "solution")
    assert (tmp_path / "solution" / "build.py").is_file()


@pytest.mark.slow
@pytest.mark.skipif(find_nvcc() is None, reason="no nvcc: the .cu files cannot be compiled here")
@pytest.mark.parametrize("name", [name for name, one in BY_NAME.items() if one.language == "cuda"])
def test_a_cuda_case_compiles(name, tmp_path):
    write_folder(BY_NAME[name], tmp_path / "solution")
    build = runpy.run_path(str(tmp_path / "solution" / "build.py"))["build"]
    build(
        BY_NAME[name].declared.op,
        language="cuda",
        rounding="each_step",
        architecture="sm_90",
        flags=("-O0",),
        cache=tmp_path,
    )


@pytest.mark.parametrize(
    "name", ["no_work", "input_as_scratch", "orphan_left", "tail_dropped", "returns_its_output"]
)
def test_a_representative_case_ends_as_it_should(name):
    got = trial(name)
    assert got.as_it_should, got


@pytest.mark.slow
def test_every_case_of_the_cpu_ends_as_it_should(capsys):
    assert gauntlet.main(["--device", "cpu"]) == 0, capsys.readouterr().out


def run_main(monkeypatch, endings, *arguments):
    threats = [BY_NAME[name] for name in endings]
    monkeypatch.setattr(gauntlet, "find_threats", lambda *_: threats)
    monkeypatch.setattr(gauntlet, "build_all", lambda *_: None)
    monkeypatch.setattr(gauntlet, "run_trial", lambda one, *_: outcome(one.name, endings[one.name]))
    return gauntlet.main(["--device", "cpu", *arguments])


GOOD = {
    "no_work": Status.INCORRECT,
    "tail_dropped": Status.INCORRECT,
    "talkative": Status.PASSED,
}


def test_all_caught_all_killed_and_no_false_alarm_is_success(monkeypatch, capsys):
    assert run_main(monkeypatch, GOOD) == 0
    printed = capsys.readouterr().out
    assert "cheaters caught 1/1" in printed
    assert "mutants killed 1/1" in printed
    assert "false alarms 0/1" in printed


def test_json_is_all_of_standard_output(monkeypatch, capsys):
    assert run_main(monkeypatch, {**GOOD, "no_work": Status.PASSED}, "--json") == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert not found["good"]
    assert {one["name"]: one["good"] for one in found["outcomes"]} == {
        "no_work": False,
        "tail_dropped": True,
        "talkative": True,
    }
    assert "cheaters caught 0/1" in printed.err


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("no_work", Status.PASSED),
        ("no_work", Status.TIMED_OUT),
        ("tail_dropped", Status.PASSED),
        ("tail_dropped", Status.BUILD_FAILED),
        ("talkative", Status.CRASHED),
    ],
)
def test_one_case_that_ends_otherwise_is_failure(monkeypatch, name, status):
    assert run_main(monkeypatch, {**GOOD, name: status}) == 1


def test_a_report_becomes_the_documents_table(monkeypatch, tmp_path, capsys):
    report, document = tmp_path / "report.jsonl", tmp_path / "document.md"
    run_main(monkeypatch, GOOD, "--report", str(report))
    document.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
    table.write_table(document, [report])
    text = document.read_text()
    assert "old" not in text
    assert text.startswith("before\n") and text.endswith("after\n")
    for name in GOOD:
        assert f"/{name} |" in text
    assert len(report.read_text().splitlines()) == 3


def test_an_ending_that_was_not_declared_stands_out_in_the_table():
    records = [{"device": "cpu", **outcome("no_work", Status.TIMED_OUT).record()}]
    assert "**TIMED_OUT production**" in table.table(records)
    assert not table.verdict(records)
    assert not table.verdict([])


def test_an_edit_must_find_its_passage_exactly_once():
    assert edited("case", "file", "a b c", "b", "x") == "a x c"
    for text in ("a c", "b b"):
        with pytest.raises(UserError, match="once in solution/file, got"):
            edited("case", "file", text, "b", "x")


def test_a_fragment_becomes_the_exported_entry():
    honest = "int run(const Call&);\nSOLUTION_EXPORT(op, kContract, kDLCPU, run, describe)\n"
    source = with_entry(honest, "FRAGMENT")
    assert source.index("return run(call)") < source.index("FRAGMENT")
    assert source.endswith("SOLUTION_EXPORT(op, kContract, kDLCPU, cheat, describe)\n")
    cuda = with_entry("x\nSOLUTION_EXPORT_CUDA(op, kContract, Struct)\n", "FRAGMENT")
    assert "solution::run_op<Struct>(call)" in cuda
    assert "kDLCUDA, cheat, solution::describe_op<Struct>)" in cuda


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UserError, match="no_work"):
        choose(THREATS, "cpu", "no_wrok")


def test_a_benign_case_passes_and_nothing_else():
    benign = BY_NAME["talkative"]
    assert Outcome(benign, Status.PASSED, "", "", 1.0).as_it_should
    for status in set(Status) - {Status.PASSED}:
        assert not Outcome(benign, status, "", "", 1.0).as_it_should


def test_the_documents_table_is_that_of_the_committed_records():
    reports = sorted((ROOT / "docs").glob("gauntlet_*.jsonl"))
    records = [record for path in reports for record in table.read_report(path)]
    assert table.table(records) in (ROOT / "docs" / "threat_model.md").read_text()
    assert table.verdict(records)
    for path in reports:
        device = "cpu" if path.stem == "gauntlet_cpu" else "cuda"
        named = {one["name"] for one in table.read_report(path)}
        assert named == {one.name for one in THREATS if device in one.declared.devices}


def test_records_are_plain_json():
    record = outcome("no_work", Status.INCORRECT).record()
    assert json.loads(json.dumps(record)) == record
    assert dataclasses.is_dataclass(Outcome)
