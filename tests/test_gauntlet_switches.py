# SPDX-License-Identifier: Apache-2.0
"""Each defence switched off lets at least one cheater through: none is decoration."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.judge import data, environment, floors, forks, players, row, sampler, turn, turns, verify
from bench.judge.reply import Reply
from bench.judge.verify import Finding
from bench.record.status import Status
from bench.task.checkout import ROOT
from bench.task.config import load_config
from bench.task.device import resolve_device
from bench.threats.case import find_threats
from bench.threats.trial import run_trial, write_side
from bench.timing.calling_core import CallingCore

pytestmark = pytest.mark.slow

BY_NAME = {one.name: one for one in find_threats()}


def trial(name):
    config, device = load_config(ROOT / "config.toml"), resolve_device("cpu")
    with tempfile.TemporaryDirectory() as scratch:
        side = write_side(BY_NAME[name], config, device, Path(scratch))
        return run_trial(BY_NAME[name], config, device, side)


def once(fill):
    """Inputs that are filled once a case, and then only copied for the judge."""
    seen = set()

    def fresh(case, inputs, bits):
        if (case.slots, inputs.data_ptr()) not in seen:
            seen.clear()
            seen.add((case.slots, inputs.data_ptr()))
            fill(case, inputs, bits)

    return fresh


ON_ONE_SLOT = {
    "cpu": tuple(dataclasses.replace(one, ring=False) for one in row.REGIMES["cpu"]),
}
AWAKE = (forks.ForkedProcess, "stand_still", lambda _: True)
PASSED = Finding(Status.PASSED, "")
# A defence -> what of it is switched off, and a cheater that is let through then.
SWITCHES = {
    "comparison": ([(verify, "finding_of", lambda _: PASSED)], "neighbours_copied"),
    "guards": ([(verify, "broken_guards", lambda *_: [])], "notes_behind_the_output"),
    "inputs": ([(verify, "same_bytes", lambda *_: True)], "inputs_spoilt_for_the_next"),
    "poison that is no number": (
        [(data, "POISON", dict.fromkeys(data.POISON, 0))],
        "output_read_before_written",
    ),
    "fresh inputs": ([(turn, "fresh_inputs", once(turn.fresh_inputs))], "results_kept_by_input"),
    "an address for each call": (
        [(sampler, "WARM_SLOT", 1), (row, "REGIMES", ON_ONE_SLOT)],
        "first_call_repeated",
    ),
    "wall clock": ([(turn, "_impossible", lambda *_: None)], "seconds_claimed_while_sized"),
    "floor": ([(floors.Floors, "check", lambda *_, **__: None)], "divided_samples"),
    "sums at each return": ([(turn, "_late", lambda *_: None)], "late_by_a_moment"),
    "standing still": ([AWAKE], "noisy_neighbour"),
    "not being woken": (
        [(forks.ForkedProcess, "stood_still", lambda _: True)],
        "woken_by_a_timer",
    ),
    "children": ([(players, "left_running", lambda _: [])], "orphan_left"),
    "environment": (
        [(environment, "ENVIRONMENT", (*environment.ENVIRONMENT, "KDA_SEED"))],
        "environment_searched",
    ),
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_defence_switched_off_lets_a_cheater_through(switch, monkeypatch):
    monkeypatch.setenv("KDA_SEED", "42")
    patches, name = SWITCHES[switch]
    assert trial(name).as_it_should
    for where, what, instead in patches:
        monkeypatch.setattr(where, what, instead)
    got = trial(name)
    assert got.status is Status.PASSED, got


def test_without_the_schema_words_reach_the_judges_arithmetic(monkeypatch):
    def anything(message, request, wall_us):
        return Reply(tuple(message["us"]), tuple(message["marks"]), message["text"], wall_us)

    monkeypatch.setattr(players, "read_reply", anything)
    with pytest.raises(TypeError):
        trial("reply_of_words")


def test_without_a_second_look_outputs_change_behind_the_comparison(monkeypatch):
    name = "late_behind_the_comparison"
    monkeypatch.setattr(*AWAKE)
    assert trial(name).status is Status.LATE_WRITE
    monkeypatch.setattr(turns, "same_bytes", lambda *_: True)
    assert trial(name).status is Status.PASSED


def test_without_a_private_home_notes_reach_a_later_process(monkeypatch, tmp_path):
    assert [trial("home_searched").status for _ in range(2)] == [Status.BUILD_FAILED] * 2
    shared = SimpleNamespace(mkdtemp=lambda **_: str(tmp_path), rmtree=lambda *_, **__: None)
    monkeypatch.setattr(players, "tempfile", shared)
    monkeypatch.setattr(players, "shutil", shared)
    assert [trial("home_searched").status for _ in range(2)] == [
        Status.BUILD_FAILED,
        Status.PASSED,
    ]


BARE = """
import mmap
import sys
sys.path[0] = {root!r}
from bench.player import fork_server
{without}
fork_server.main(sys.argv[1:])
"""


def serve_without(monkeypatch, folder, without):
    bare = folder / "bare.py"
    bare.write_text(BARE.format(root=str(ROOT), without=without))
    monkeypatch.setattr(forks, "SERVER", bare)


def test_without_confinement_a_file_is_left(tmp_path, monkeypatch):
    serve_without(monkeypatch, tmp_path, "fork_server.confine = lambda _: None")
    left = Path("/dev/shm") / "left_by_a_cheater.py"
    try:
        assert trial("file_in_shared_memory").status is Status.PASSED
        assert left.exists()
    finally:
        left.unlink(missing_ok=True)


def test_memory_that_a_server_shares_with_its_players_carries_notes(tmp_path, monkeypatch):
    name = "shared_pages_searched"
    assert [trial(name).status for _ in range(2)] == [Status.BUILD_FAILED] * 2
    serve_without(monkeypatch, tmp_path, "shared = mmap.mmap(-1, 4096)")
    assert [trial(name).status for _ in range(2)] == [Status.BUILD_FAILED, Status.PASSED]


class Watching(CallingCore):
    """Notes which players are awake while the judge looks at the core they are called from."""

    def __init__(self, awake):
        cores = sorted(os.sched_getaffinity(0))
        super().__init__(cores[-1:], 1.0, loop=lambda: 1, move=lambda _: None)
        self.awake = awake
        self.players = []
        self.looks = 0

    def slowed(self):
        self.looks += 1
        states = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] for pid in self.players]
        self.awake += [state for state in states if state.split()[0] != "T"]
        return False


def test_players_that_do_not_stand_still_are_awake_while_the_judge_decides_on_a_retake(monkeypatch):
    awake = []
    watching = Watching(awake)
    on_host = tuple(dataclasses.replace(one, host_bound=True) for one in row.REGIMES["cpu"])
    monkeypatch.setattr(row, "REGIMES", {"cpu": on_host})
    monkeypatch.setattr(turns.Turns, "_waited_for_host", lambda *_: True)
    monkeypatch.setattr(row.RowJudge, "_calling_core", lambda _: watching)
    ready = players.PlayerProcess.ready

    def noted(player):
        ready(player)
        watching.players.append(player.pid)

    monkeypatch.setattr(players.PlayerProcess, "ready", noted)
    assert trial("returns_its_output").status is Status.PASSED
    assert watching.looks and not awake
    watching.players.clear()
    monkeypatch.setattr(*AWAKE)
    assert trial("returns_its_output").status is Status.PASSED
    assert awake
