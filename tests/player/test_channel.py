# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from bench.player import channel as channel_module
from bench.player.channel import (
    MESSAGE_LIMIT,
    Channel,
    ChannelClosed,
    ProtocolError,
    channel_pair,
)
from tests.process_state import open_descriptors

Pair = tuple[Channel, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    mine, theirs = channel_pair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MESSAGE_LIMIT)
    yield mine, theirs
    mine.close()
    theirs.close()


def test_a_message_and_its_descriptor_arrive_as_they_were_sent(pair: Pair) -> None:
    mine, theirs = pair
    read, write = os.pipe()
    mine.send({"do": "attach", "us": [1.5], "text": "grün"}, [write])
    message, (got,) = Channel(theirs).receive(1, descriptors_max=1)
    assert message == {"do": "attach", "us": [1.5], "text": "grün"}
    os.write(got, b"x")
    assert os.read(read, 1) == b"x"
    for one in (read, write, got):
        os.close(one)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"hello", "expected JSON, got b'hello'"),
        (b'{"id": 1', "expected JSON"),
        (b"\xff\xfe", "expected JSON"),
        (b"[1, 2]", "expected an object"),
        (b"[" * 60_000, "expected JSON"),
        (b"1" * 60_000, "expected"),
        (b'"' + b"x" * (MESSAGE_LIMIT + 10) + b'"', f"at most {MESSAGE_LIMIT} bytes, got more"),
    ],
)
def test_what_is_no_message_is_said_so(pair: Pair, data: bytes, words: str) -> None:
    mine, theirs = pair
    theirs.send(data)
    with pytest.raises(ProtocolError, match=words.replace("[", r"\[").replace("'", ".")):
        mine.receive(1)


def test_two_messages_are_never_read_as_one(pair: Pair) -> None:
    mine, theirs = pair
    theirs.send(b'{"id": 1}{"id": 2}')
    with pytest.raises(ProtocolError):
        mine.receive(1)
    theirs.send(b'{"id": 1}')
    theirs.send(b'{"id": 2}')
    assert [mine.receive(1)[0]["id"], mine.receive(1)[0]["id"]] == [1, 2]


def test_descriptors_that_were_not_asked_for_are_not_left_open(pair: Pair) -> None:
    mine, theirs = pair
    before = open_descriptors()
    for _ in range(20):
        socket.send_fds(theirs, [b'{"id": 1}'], [0, 1, 2, 0])
        assert mine.receive(1) == ({"id": 1}, [])
    assert open_descriptors() == before


def test_silence_times_out_and_a_closed_end_is_told_from_it(pair: Pair) -> None:
    mine, theirs = pair
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        mine.receive(0.05)
    assert time.monotonic() - started < 1
    theirs.close()
    with pytest.raises(ChannelClosed):
        mine.receive(1)
    with pytest.raises(ChannelClosed):
        mine.send({"id": 1})


def test_a_reader_that_never_reads_does_not_hold_the_sender(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel_module, "SEND_LIMIT_S", 0.05)
    mine, _ = pair
    with pytest.raises(TimeoutError):
        for _ in range(10_000):
            mine.send({"do": "sample"})


def test_the_end_of_the_process_counts_though_a_child_holds_the_socket(pair: Pair) -> None:
    mine, theirs = pair
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        mine.end_of_other = os.pidfd_open(process.pid)
        theirs.send(b'{"id": 7}')
        process.wait()
        assert mine.receive(5)[0] == {"id": 7}, "what was sent before the end still counts"
        with pytest.raises(ChannelClosed):
            mine.receive(5)
        os.close(mine.end_of_other)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_not_sent(pair: Pair, value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        pair[0].send({"us": [value]})


def test_a_message_over_the_limit_is_not_sent(pair: Pair) -> None:
    with pytest.raises(ProtocolError, match="expected at most"):
        pair[0].send({"text": "x" * MESSAGE_LIMIT})
