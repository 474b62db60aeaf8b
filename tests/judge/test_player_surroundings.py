# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.judge.stub_player import Stub
from tests.process_state import private_homes

REQUEST = {"do": "sample"}
TELL = """
held = [f"/proc/self/fd/{n}" for n in os.listdir("/proc/self/fd")]
held = [os.readlink(one) for one in held if os.path.islink(one)]
answer(text=json.dumps([dict(os.environ), held, os.getcwd(), os.getsid(0), sys.argv[1:]]))
"""


def test_the_judges_environment_and_descriptors_stay_its_own(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_SEED", "42")
    monkeypatch.setenv("LANG", "C.UTF-8")
    before = private_homes()
    with (tmp_path / "expected values").open("w") as kept:
        os.set_inheritable(kept.fileno(), True)
        with stub.player(TELL) as player:
            (home,) = private_homes() - before
            variables, held, folder, session, words = json.loads(player.ask(REQUEST).text)
    assert variables["LANG"] == "C.UTF-8"
    assert not {"SECRET_SEED", "PYTEST_CURRENT_TEST", "OLDPWD", "USER"} & set(variables)
    assert variables["HOME"] == variables["TMPDIR"] == folder == str(home)
    assert not [one for one in held if "expected values" in one]
    assert len([one for one in held if "socket" in one]) == 1
    assert session == player.pid, "a Ctrl-C meant for the judge would reach the player"
    assert len(words) == 1, "the descriptor of its channel and nothing else"
    assert not home.exists()


def test_what_a_player_writes_to_its_home_is_gone_and_its_output_is_bounded(stub: Stub) -> None:
    body = (
        "os.makedirs('a/b'); open('a/b/c', 'w').write('kept for later')\n"
        "limits = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "answer(text=json.dumps([limits, resource.getrlimit(resource.RLIMIT_CORE)]))"
    )
    before = private_homes()
    with stub.player("import resource\n" + body) as player:
        written, core = json.loads(player.ask(REQUEST).text)
    assert 0 < written[0] == written[1] <= 1 << 30
    assert core == [0, 0]
    assert private_homes() == before


def test_where_memory_runs_out_a_player_ends_before_its_judge(stub: Stub) -> None:
    body = """
place = "/proc/self/oom_score_adj"
try:
    open(place, "w").write("0")
except OSError:
    pass
answer(text=open(place).read().strip())
"""
    with stub.player(body) as player:
        assert player.ask(REQUEST).text == "1000"


def test_a_long_output_is_cut_to_its_end(stub: Stub) -> None:
    body = "print('x' * 100_000, 'the end', flush=True); os._exit(1)"
    with stub.player(body) as player, pytest.raises(Exception, match=r"the end$") as failure:
        player.ask(REQUEST)
    assert len(str(failure.value)) < 3000


def test_a_side_that_cannot_be_started_leaves_nothing(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = private_homes()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError), stub.player("answer()"):
        pass
    assert private_homes() == before
