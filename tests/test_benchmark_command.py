# SPDX-License-Identifier: Apache-2.0
"""One row is judged for real; the other tests replay its outcome, which costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench import benchmark
from bench.judge.outcome import RowOutcome
from bench.judge.row import RowJudge
from bench.judge.verify import Finding
from bench.record.results import read_results
from bench.record.status import Status
from bench.task.errors import UserError
from bench.task.workload import Workload
from bench.timing.statistics import geometric_mean
from tests.fake_solution import FakeSolution
from tests.replayed_benchmark import Judged, Replayed
from tests.small_run import ADD_ROW, GATE_ROW, SmallRun


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("real")
    run, solution = SmallRun(folder), FakeSolution(folder / "solution")
    run.write()
    outcomes = []
    judge = RowJudge.judge
    out, log = folder / "results.jsonl", folder / "log"
    with pytest.MonkeyPatch.context() as patch, log.open("w") as printed:
        patch.setattr(RowJudge, "judge", lambda *a: outcomes.append(judge(*a)) or outcomes[-1])
        patch.setattr("sys.stdout", printed)
        arguments = run.arguments(solution.folder, f"--rows={GATE_ROW}", f"--out={out}")
        code = benchmark.main(arguments)
    return Judged(code, log.read_text(), read_results(out), outcomes[0])


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: Judged) -> Iterator[Replayed]:
    replayed = Replayed(tmp_path, monkeypatch, judged)
    replayed.run.write()
    yield replayed


def failed(row: Workload) -> RowOutcome:
    outcome = RowOutcome(row)
    outcome.failure = Finding(Status.CRASHED, "solution: the player ended with signal SIGSEGV")
    return outcome


def interrupted(row: Workload) -> RowOutcome:
    raise KeyboardInterrupt


def test_a_row_is_checked_on_both_sides_and_then_timed_in_recorded_order(judged: Judged) -> None:
    assert judged.code == 0, judged.printed
    kinds = [record["kind"] for record in judged.records]
    assert (kinds[0], kinds[-1]) == ("run", "end")
    first_bench = kinds.index("bench")
    checks = judged.records[1:first_bench]
    assert {(one["side"], one["status"]) for one in checks if one["kind"] == "check"} >= {
        ("baseline", "PASSED"),
        ("solution", "PASSED"),
    }
    (bench,) = (one for one in judged.records if one["kind"] == "bench")
    assert (bench["workload"], bench["status"]) == (GATE_ROW, "PASSED")
    assert bench["plan"] == "fake cpu each_step (1, 64, 256)"
    (trials,) = (one["trials"] for one in judged.records if one["kind"] == "trials")
    for trial in trials:
        for regime, order in trial["order"].items():
            assert sorted(order) == sorted(trial["us"][regime])
            assert all(us > 0 for us in trial["us"][regime].values())
    orders = {tuple(order) for trial in trials for order in trial["order"].values()}
    assert len(orders) > 1, "the order is drawn anew each time"


def test_what_is_not_all_rows_has_no_headline(judged: Judged) -> None:
    end = judged.records[-1]
    assert end["headlines"] == []
    assert "not every production row was chosen" in end["no_headline_because"]
    assert "no headline" in judged.printed
    assert GATE_ROW in judged.printed


def test_all_rows_make_a_headline_of_equal_weights(
    command: Replayed, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command() == 0
    (headline,) = read_results(command.out)[-1]["headlines"]
    assert headline["rows"] == 2
    assert headline["geomean"]["value"] == pytest.approx(3.0)
    assert headline["arithmetic_mean"] == pytest.approx(3.25)
    assert (headline["min"], headline["max"]) == (2.0, 4.5)
    assert headline["call_weighted"] == pytest.approx(2.0), "only the gate row has a count"
    assert headline["by_op"]["broadcast_add_4d"] == pytest.approx(geometric_mean([4.5]))
    assert "3.000x" in capsys.readouterr().out


def test_rows_without_any_call_count_still_end_in_a_headline(command: Replayed) -> None:
    command.run.rows[0]["calls"] = None
    command.run.write()
    assert command() == 0
    (headline,) = read_results(command.out)[-1]["headlines"]
    assert headline["call_weighted"] is None


def test_a_failed_row_means_no_headline_and_exit_1_and_the_others_are_kept(
    command: Replayed, capsys: pytest.CaptureFixture[str]
) -> None:
    command.judge_with({GATE_ROW: failed})
    assert command() == 1
    assert command.rows == [GATE_ROW, ADD_ROW]
    records = read_results(command.out)
    assert [one["workload"] for one in records if one["kind"] == "bench"] == [ADD_ROW]
    assert records[-1]["headlines"] == []
    printed = capsys.readouterr().out
    assert "CRASHED" in printed
    assert "SIGSEGV" in printed
    assert "no headline" in printed


@pytest.mark.parametrize("special", [{}, {GATE_ROW: failed}])
def test_json_is_all_of_standard_output(
    command: Replayed,
    capsys: pytest.CaptureFixture[str],
    special: dict[str, Callable[..., RowOutcome]],
) -> None:
    command.judge_with(special)
    code = command("--json")
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["passed"] is (code == 0) is (special == {})
    assert {
        one["workload"]: one["regimes"]["cold"]["speedup"]["value"] for one in found["rows"]
    } == {name: value for name, value in ((GATE_ROW, 2.0), (ADD_ROW, 4.5)) if name not in special}
    assert found["headlines"] == read_results(command.out)[-1]["headlines"]
    assert ADD_ROW in printed.err


def test_a_changed_workloads_file_runs_unfrozen_and_without_a_headline(
    command: Replayed, capsys: pytest.CaptureFixture[str]
) -> None:
    command.run.write(frozen=False)
    assert command() == 0
    records = read_results(command.out)
    assert records[0]["frozen"] is False
    assert records[-1]["headlines"] == []
    assert "not frozen" in capsys.readouterr().out


def test_ctrl_c_keeps_the_rows_and_resume_judges_only_the_rest(
    command: Replayed, capsys: pytest.CaptureFixture[str]
) -> None:
    command.judge_with({ADD_ROW: interrupted})
    assert command() == 130
    printed = " ".join(capsys.readouterr().out.split())
    assert "--resume" in printed
    kept = [json.loads(line) for line in command.out.read_text().splitlines()]
    assert [one["workload"] for one in kept if one["kind"] == "bench"] == [GATE_ROW]
    assert kept[-1]["kind"] != "end"
    command.judge_with({})
    command.rows.clear()
    assert command("--resume") == 0
    assert command.rows == [ADD_ROW]
    records = read_results(command.out)
    assert records[-1]["headlines"][0]["geomean"]["value"] == pytest.approx(3.0)
    assert records[: len(kept)] == kept


def test_a_failed_row_before_ctrl_c_is_not_forgotten_by_resume(command: Replayed) -> None:
    command.judge_with({GATE_ROW: failed, ADD_ROW: interrupted})
    assert command() == 130
    command.judge_with({GATE_ROW: failed})
    assert command("--resume") == 1
    assert read_results(command.out)[-1]["headlines"] == []


def test_each_row_is_on_disk_before_the_next_begins(command: Replayed, judged: Judged) -> None:
    def look(row: Workload) -> RowOutcome:
        lines = command.out.read_text().splitlines()
        assert [json.loads(one)["workload"] for one in lines if '"kind":"bench"' in one] == [
            GATE_ROW
        ]
        return judged.replay(row)

    command.judge_with({ADD_ROW: look})
    assert command() == 0


def test_resume_refuses_another_config(command: Replayed) -> None:
    command.judge_with({ADD_ROW: interrupted})
    assert command() == 130
    with pytest.raises(UserError, match="began with another config"):
        command("--resume", "--set=benchmark.trials=3")


def test_resume_refuses_a_complete_file(command: Replayed) -> None:
    assert command() == 0
    with pytest.raises(UserError, match="complete"):
        command("--resume")
