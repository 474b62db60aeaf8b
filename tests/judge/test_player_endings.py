# SPDX-License-Identifier: Apache-2.0
"""However a player ends, it ends as one typed status with words, quickly, and leaves nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bench.judge.reply import PlayerFailure
from bench.record.status import Status
from tests.judge.stub_player import Stub
from tests.process_state import alive, open_descriptors, private_homes

REQUEST = {"do": "sample"}
BAD_REPLIES = {
    "no JSON": "channel.send(b'hello')",
    "an array": "channel.send(b'[1]')",
    "an answer to another request": "answer(id=request['id'] + 1)",
    "an answer to an earlier request": "answer(id=1)",
    "a number that is none": "channel.send(json.dumps(good(us=[float('nan')])).encode())",
    "an infinite number": "channel.send(json.dumps(good(us=[1e999])).encode())",
    "a whole number for a time": "answer(us=[3])",
    "a truth for a time": "answer(us=[True])",
    "a text for a time": "answer(us=['1.0'])",
    "a fraction for a mark": "answer(marks=[1.5])",
    "a field too many": "answer(verdict='PASSED')",
    "a field too few": "reply = good(); del reply['us']; channel.send(json.dumps(reply).encode())",
    "a truth that is a number": "answer(ok=1)",
    "a number that is a truth": "answer(id=True)",
    "a text that is none": "answer(text=None)",
    "more than a message may hold": "channel.send(b'\"' + b'x' * 200_000 + b'\"')",
    "an empty packet": "channel.send(b''); time.sleep(60)",
    "a closed channel": "channel.close(); time.sleep(60)",
    "half a channel": "channel.shutdown(socket.SHUT_WR); time.sleep(60)",
    "a flood": "\nwhile True:\n    channel.send(b'{}')",
}
ENDINGS = {
    "a segmentation fault": ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV; it said"),
    "an abort with words": (
        "print('double free', flush=True); os.abort()",
        "signal SIGABRT; last words: double free",
    ),
    "a signal without a name": ("os.kill(os.getpid(), 40)", "signal 40"),
    "an exit code": ("os._exit(3)", "exit code 3; it said nothing"),
    "success, which is no answer": ("sys.exit(0)", "exit code 0"),
    "a traceback": ("raise RuntimeError('in the player')", "RuntimeError: in the player"),
}


@pytest.mark.parametrize("name", list(BAD_REPLIES))
def test_a_reply_outside_the_schema_is_a_protocol_error_and_ends_the_player(
    stub: Stub, name: str
) -> None:
    with stub.player(BAD_REPLIES[name]) as player:
        started = time.monotonic()
        with pytest.raises(PlayerFailure) as failure:
            player.ask(REQUEST)
        assert failure.value.status is Status.PROTOCOL_ERROR
        assert str(failure.value)
        assert time.monotonic() - started < 5
        assert not alive(player.pid), "it lives on"


@pytest.mark.parametrize("name", list(ENDINGS))
def test_a_process_that_ends_is_crashed_with_how_and_its_last_words(stub: Stub, name: str) -> None:
    body, words = ENDINGS[name]
    with stub.player(body) as player:
        with pytest.raises(PlayerFailure) as failure:
            player.ask(REQUEST)
        assert failure.value.status is Status.CRASHED
        assert words in str(failure.value)


def test_silence_is_timed_out_within_the_limit_and_keeps_the_last_words(stub: Stub) -> None:
    body = "print('thinking', flush=True); time.sleep(60)"
    with stub.player(body) as player:
        started = time.monotonic()
        with pytest.raises(PlayerFailure) as failure:
            player.ask(REQUEST, time_limit_s=0.3)
        assert failure.value.status is Status.TIMED_OUT
        assert str(failure.value) == "no answer within 0.3 s; last words: thinking"
        assert time.monotonic() - started < 2
        assert not alive(player.pid)


def test_a_process_that_never_answers_the_first_message_is_timed_out(stub: Stub) -> None:
    with (
        pytest.raises(PlayerFailure) as failure,
        stub.player("pass", time_limit_s=0.001),
    ):
        pass
    assert failure.value.status is Status.TIMED_OUT


def test_a_child_that_holds_the_channel_does_not_delay_the_verdict(stub: Stub) -> None:
    body = "if os.fork() == 0:\n    time.sleep(60)\nos._exit(4)"
    with stub.player(body, time_limit_s=30) as player:
        started = time.monotonic()
        with pytest.raises(PlayerFailure) as failure:
            player.ask(REQUEST)
        assert failure.value.status is Status.CRASHED
        assert "exit code 4" in str(failure.value)
        assert time.monotonic() - started < 5


LEAVE_CHILD = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        open(os.path.join({folder!r}, "pid"), "w").write(str(os.getpid()))
        channel.close()
        time.sleep(60)
    os._exit(0)
while not os.path.exists(os.path.join({folder!r}, "pid")):
    time.sleep(0.01)
{end}
"""


@pytest.mark.parametrize("end", ["answer()", "os._exit(1)", "time.sleep(60)"])
def test_a_child_in_a_session_of_its_own_ends_with_its_player(
    stub: Stub, tmp_path: Path, end: str
) -> None:
    with stub.player(LEAVE_CHILD.format(folder=str(tmp_path), end=end)) as player:
        try:
            player.ask(REQUEST, time_limit_s=2)
        except PlayerFailure as failure:
            assert failure.status in (Status.CRASHED, Status.TIMED_OUT, Status.LEFT_BEHIND)
        time.sleep(0.05)
        child = int((tmp_path / "pid").read_text())
        assert alive(child)
    assert not alive(child)


def test_another_player_is_no_orphan(stub: Stub) -> None:
    with stub.player("answer()") as first:
        with stub.player("answer()") as second:
            second.ask(REQUEST)
        first.ask(REQUEST)


def test_nothing_is_left_however_often_players_start_and_fail(stub: Stub) -> None:
    descriptors, homes = open_descriptors(), private_homes()
    for body in ("answer()", "os._exit(1)", "channel.send(b'x')", "channel.close()") * 2:
        with stub.player(body) as player:
            try:
                player.ask(REQUEST)
            except PlayerFailure as failure:
                assert failure.status in (Status.CRASHED, Status.PROTOCOL_ERROR)
        assert not alive(player.pid)
    assert open_descriptors() == descriptors
    assert private_homes() == homes


def test_descriptors_in_a_reply_are_not_taken(stub: Stub) -> None:
    body = "socket.send_fds(channel, [json.dumps(good()).encode()], [0, 1, 2])"
    with stub.player(body) as player:
        before = open_descriptors()
        for _ in range(10):
            player.ask(REQUEST)
        assert open_descriptors() == before


def test_answers_sent_ahead_of_requests_do_not_block_the_judge(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.player.channel.SEND_LIMIT_S", 0.2)
    body = "for ahead in range(150):\n    answer(id=request['id'] + ahead)\ntime.sleep(60)"
    with stub.player(body) as player:
        with pytest.raises(PlayerFailure) as failure:
            for _ in range(200):
                player.ask(REQUEST, time_limit_s=2)
        assert failure.value.status is Status.PROTOCOL_ERROR
        assert "without reading" in str(failure.value)
