# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from bench import correctness
from bench.judge.random_bits import RandomBits
from bench.record.results import read_results
from tests.fake_solution import FakeSolution
from tests.process_state import private_homes
from tests.small_run import ADD_ROW, GATE_ROW, ROOT, SmallRun, row


class Command:
    """Runs the command on small rows and reads its report back."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.run, self.fake = SmallRun(folder), FakeSolution(folder / "solution")
        self.solution = self.fake.folder
        self.report = folder / "report.jsonl"
        self.printed = self.errors = ""
        self._capsys = capsys

    def __call__(self, *more: str) -> int:
        self.run.write()
        config = ["--config", str(self.run.config_path), "--solution", str(self.solution)]
        arguments = [*config, "--device=cpu", "--rows=production", f"--report={self.report}", *more]
        code = correctness.main(arguments)
        self.printed, self.errors = self._capsys.readouterr()
        return code

    @property
    def checks(self) -> list[dict[str, Any]]:
        return [one for one in read_results(self.report) if one["kind"] == "check"]

    def of(self, **fields: object) -> list[dict[str, Any]]:
        return [one for one in self.checks if fields.items() <= one.items()]


@pytest.fixture
def command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Command(tmp_path, capsys)


def test_an_honest_solution_passes_every_check_and_they_are_counted(command: Command) -> None:
    assert command("--rounding=once") == 0, command.printed
    records = read_results(command.report)
    mutants = 3 * 6 + 1 + 2 * 5  # of three operands and a rounding, and of two operands
    kinds = {"load": 4, "production": 4, "oracle": 2, "against baseline": 2}
    kinds["oracle mutant"] = mutants
    assert records[-1]["checks"] == records[-1]["passed"] == kinds
    assert records[-1]["verdict"] == "PASS"
    assert command.printed.splitlines()[-1] == f"{12 + mutants}/{12 + mutants} PASS"
    for kind, count in kinds.items():
        assert re.search(rf"^  {kind} +{count}/{count}$", command.printed, re.MULTILINE)
    assert {one["rounding"] for one in command.checks} == {"once"}
    assert "census: none, a CPU launches no kernels" in command.printed


def test_each_row_fails_for_its_own_reason_and_the_others_are_still_judged(
    command: Command,
) -> None:
    """One op crashes on one row, the other op is missing, and a third row is beyond memory."""
    command.run.rows.append(row("residual_gate_add", "crash", {"B": 1, "L": 3, "D": 8}, None))
    command.run.rows.append(row("residual_gate_add", "wrong", {"B": 1, "L": 5, "D": 8}, None))
    huge = {"B": 1, "L": 1 << 30, "D": 1 << 16}
    command.run.rows.append(row("residual_gate_add", "huge", huge, None))
    command.fake.at_load("if op == 'broadcast_add_4d': raise NotImplementedError('no ' + op)")
    command.fake.at_call("""
        right()
        if out.shape[1] == 3:
            print("going down", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if out.shape[1] == 5:
            out[0, 2, 6] = 77
    """)
    assert command() == 1
    assert private_homes() == set()
    wanted = [one for one in command.checks if one["check"] in ("production", "load")]
    statuses = {(one["workload"] or one["op"], one["side"]): one["status"] for one in wanted}
    assert statuses == {
        ("residual_gate_add", "baseline"): "PASSED",
        ("residual_gate_add", "solution"): "PASSED",
        ("broadcast_add_4d", "baseline"): "PASSED",
        ("broadcast_add_4d", "solution"): "NOT_IMPLEMENTED",
        (GATE_ROW, "baseline"): "PASSED",
        (GATE_ROW, "solution"): "PASSED",
        ("crash", "baseline"): "PASSED",
        ("crash", "solution"): "CRASHED",
        ("wrong", "baseline"): "PASSED",
        ("wrong", "solution"): "INCORRECT",
        ("huge", "baseline"): "OUT_OF_MEMORY",
        ("huge", "solution"): "OUT_OF_MEMORY",
    }
    assert not command.of(workload=ADD_ROW), "an op that is missing is said once"
    (crashed,) = command.of(workload="crash", side="solution")
    assert crashed["text"] == "the player ended with signal SIGKILL; last words: going down"
    (wrong,) = command.of(workload="wrong", side="solution", check="production")
    assert wrong["text"].startswith("1 wrong, first at [0, 0, 2, 6]: expected ")
    assert re.search(r"got 77\.0 \(\d+ ulps\); likely .+; eager wrote -?\d", wrong["text"])
    assert command.printed.splitlines()[-1].endswith("FAIL")
    assert not [line for line in command.printed.splitlines() if "Traceback" in line]


def test_a_solution_that_does_not_compile_is_told_in_the_compilers_words(command: Command) -> None:
    command.solution = command.report.parent / "copy"
    shutil.copytree(ROOT / "solution", command.solution)
    (command.solution / "cpu" / "residual_gate_add.cc").write_text("int broken(\n")
    assert command("--op=residual_gate_add", "--side=solution") == 1
    (load,) = command.checks
    assert load["status"] == "BUILD_FAILED"
    assert "residual_gate_add.cc does not compile" in load["text"]
    assert "error: expected" in load["text"]
    assert command.printed.splitlines()[-1] == "0/1 FAIL"


def test_json_is_all_of_standard_output(command: Command) -> None:
    command.fake.at_load("if op == 'broadcast_add_4d': raise NotImplementedError('no ' + op)")
    assert command("--json") == 1
    found = json.loads(command.printed)
    assert found["verdict"] == "FAIL" and found["checks"]["load"] == found["passed"]["load"] + 1
    (failure,) = found["failures"]
    assert (failure["op"], failure["status"]) == ("broadcast_add_4d", "NOT_IMPLEMENTED")
    assert command.errors.splitlines()[-1].endswith("FAIL")


def test_a_solution_that_raises_when_imported_has_no_build(command: Command) -> None:
    (command.solution / "build.py").write_text("raise ValueError('no card')")
    assert command("--op=residual_gate_add", "--side=solution") == 1
    (load,) = command.checks
    assert load["status"] == "BUILD_FAILED"
    assert load["text"] == "residual_gate_add does not load: ValueError: no card"


def test_no_data_follows_from_a_frozen_seed_alone_and_a_recorded_seed_repeats_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    plant = RandomBits.manual_seed
    monkeypatch.setattr(
        RandomBits, "manual_seed", lambda bits, seed: seeds.append(seed) or plant(bits, seed)
    )
    drawn = []
    for more in ("--seed=1", "--seed=1", "--seed=2"):
        seeds.clear()
        assert command("--op=residual_gate_add", more) == 0
        drawn.append(seeds[-1])
        assert f"--seed={read_results(command.report)[-1]['seed']}" == more
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_frozen_rows_checks_hold_their_numerics_and_others_none(command: Command) -> None:
    assert command() == 0, command.printed
    for one in command.checks:
        assert ("numerics" in one) is (one["check"] == "production"), one
    for side in ("baseline", "solution"):
        (check,) = command.of(workload=ADD_ROW, side=side, check="production")
        histogram = check["numerics"]["ulp_histogram"]
        assert histogram["0"] == check["numerics"]["elements"] == check["elements"]
