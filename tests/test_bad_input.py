# SPDX-License-Identifier: Apache-2.0
"""A mistake of the user is one sentence and exit code 2 in either runner, before anything runs."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bench import benchmark, correctness
from bench.commandline import run_command
from bench.judge.players import PlayerProcess
from tests.fake_solution import FakeSolution
from tests.small_run import ADD_ROW, GATE_ROW, SmallRun

COMMANDS = {"correctness": correctness, "benchmark": benchmark}


@dataclasses.dataclass
class Attempt:
    """Runs a command as its `__main__` does."""

    name: str
    run: SmallRun
    solution: Path
    patch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def error(self, *more: str) -> str:
        self.run.folder.joinpath("config.toml").write_text(self.run.config)
        arguments = ["--config", str(self.run.config_path), "--solution", str(self.solution)]
        flag = "--out" if self.name == "benchmark" else "--report"
        out = [flag, str(self.run.folder / "out.jsonl")]
        argv = [f"bench/{self.name}.py", *arguments, "--device=cpu", *out, *more]
        self.patch.setattr("sys.argv", argv)
        with pytest.raises(SystemExit) as end:
            run_command(COMMANDS[self.name].main)
        printed = self.capsys.readouterr()
        assert end.value.code == 2, printed
        assert "Traceback" not in printed.err
        (sentence,) = re.findall(r"^(?:error|.*: error): .*", printed.err, re.MULTILINE)
        return str(sentence)


@pytest.fixture(params=list(COMMANDS))
def attempt(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Attempt:
    def forbidden(_: PlayerProcess) -> None:
        raise AssertionError("a player was started")

    monkeypatch.setattr(PlayerProcess, "start", forbidden)
    run = SmallRun(tmp_path)
    run.write()
    solution = FakeSolution(tmp_path / "solution").folder
    return Attempt(request.param, run, solution, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--rows=smal_gate"], "unknown row smal_gate; did you mean small_gate?"),
        (["--rows=xyz"], "expected one of small_gate, small_add"),
        (["--rows="], "unknown row"),
        (["--op=residual_gate_ad"], "did you mean residual_gate_add?"),
        ([f"--rows={ADD_ROW}", "--op=residual_gate_add"], "holds no row of residual_gate_add"),
        (["--rounding=twice"], "--rounding: unknown twice"),
        (["--set=benchmark.trails=3"], "did you mean benchmark.trials?"),
        (["--set=benchmark"], "--set: expected KEY=VALUE, got benchmark"),
        (["--set=benchmark.trials=0"], "benchmark.trials"),
        (["--set=benchmark.trials=many"], "benchmark.trials"),
        (["--set=benchmark.window_us=nan"], "benchmark.window_us"),
        (["--set=benchmark.window_us=-inf"], "benchmark.window_us"),
        (["--set=benchmark.trials.deep=1"], "benchmark.trials"),
        (["--set=task.workloads=elsewhere.json"], "elsewhere.json: not found"),
        (["--language=fortran"], "solution.language.cpu"),
        (["--device=tpu"], "expected cpu, cuda or cuda:<number>, got 'tpu'"),
        (["--device=cuda:-1"], "expected cpu, cuda or cuda:<number>"),
        (["--config=/nowhere/config.toml"], "/nowhere/config.toml: not found"),
        (["--solution=/nowhere"], "--solution: expected a folder laid out like solution/"),
    ],
)
def test_a_flag_that_cannot_be_carried_out(attempt: Attempt, more: list[str], words: str) -> None:
    assert words in attempt.error(*more)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:7"])
def test_a_gpu_that_is_not_there(attempt: Attempt, device: str) -> None:
    assert f"{device} asked for, but torch sees no CUDA GPU" in attempt.error(f"--device={device}")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "trials = 7",
            "trails = 7",
            "unknown key benchmark.trails; did you mean benchmark.trials?",
        ),
        ("[correctness]", "[correctness", "not TOML"),
        ("once_max_ulps = 1", "once_max_ulps = -1", "once_max_ulps"),
        ("once_max_ulps = 1", "", "once_max_ulps"),
        ('rounding = "each_step"', 'rounding = "eachstep"', "rounding"),
    ],
)
def test_a_config_that_cannot_be_used(attempt: Attempt, old: str, new: str, words: str) -> None:
    assert old in attempt.run.config
    attempt.run.config = attempt.run.config.replace(old, new, 1)
    assert words in attempt.error()


Change = Callable[[SmallRun], object]
BAD_ROWS: dict[str, tuple[Change, str]] = {
    "id twice": (lambda run: run.rows[1].update(id=GATE_ROW), "one row of this id, got 2"),
    "unknown op": (
        lambda run: run.rows[0].update(op="residual_gate"),
        "did you mean residual_gate_add?",
    ),
    "missing axis": (lambda run: run.rows[0]["axes"].pop("L"), "axes: missing L"),
    "impossible stride": (
        lambda run: run.rows[0]["strides"].update(out=[1, 1, 1]),
        "strides.out: expected [16384, 256, 1]",
    ),
    "tolerance of NaN": (
        lambda run: run.rows[0]["tolerance"].update(atol=float("nan")),
        "tolerance.atol",
    ),
    "unknown dtype": (lambda run: run.rows[0].update(dtype="bf16"), "did you mean bfloat16?"),
    "no rows": (lambda run: run.rows.clear(), "at least one row"),
}


@pytest.mark.parametrize("name", list(BAD_ROWS))
def test_workloads_that_cannot_be_used(attempt: Attempt, name: str) -> None:
    change, words = BAD_ROWS[name]
    change(attempt.run)
    attempt.run.write()
    assert words in attempt.error()


def test_a_workloads_file_that_is_no_json(attempt: Attempt) -> None:
    attempt.run.workloads_path.write_text("{]")
    assert "workloads.json: not JSON" in attempt.error()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("notes.txt", "expected a results file or none, got another file, which is left as it is"),
        (".", "not a file"),
        ("notes.txt/out.jsonl", "name another"),
        ("/proc/version", "/proc/version"),
    ],
)
def test_a_place_for_results_that_cannot_be_used(attempt: Attempt, place: str, words: str) -> None:
    notes = attempt.run.folder / "notes.txt"
    notes.write_text("not yours\n")
    flag = "--out" if attempt.name == "benchmark" else "--report"
    assert words in attempt.error(flag, str(attempt.run.folder / place))
    assert notes.read_text() == "not yours\n"


def test_a_mistake_leaves_no_file(attempt: Attempt) -> None:
    attempt.error("--rows=nothing")
    assert not (attempt.run.folder / "out.jsonl").exists()


def test_the_grid_is_not_for_timing_and_an_unknown_flag_is_named(attempt: Attempt) -> None:
    if attempt.name == "benchmark":
        assert "the grid is for correctness" in attempt.error("--rows=grid")
        assert "expected a readable and writable file" in attempt.error("--resume")
    assert "--rwos" in attempt.error("--rwos=all")
