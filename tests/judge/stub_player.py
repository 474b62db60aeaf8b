# SPDX-License-Identifier: Apache-2.0
"""A player without torch: starts in milliseconds and does whatever a hostile one could."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.judge import forks, players
from bench.judge.players import PlayerProcess, Seat
from bench.task.side import Side

PROGRAM = """
import json, os, signal, socket, subprocess, sys, time
channel = socket.socket(fileno=int(sys.argv[1]))
channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
request = None

def receive():
    global request
    data = channel.recv(1 << 17)
    if not data:
        os._exit(0)
    request = json.loads(data)
    return request

def good(**changes):
    reply = {"id": request["id"], "ok": True, "us": [], "marks": [], "kind": "", "text": ""}
    return {**reply, **changes}

def answer(**changes):
    channel.send(json.dumps(good(**changes)).encode())

receive()
answer()
while True:
    receive()
    try:
        BODY
    except BrokenPipeError:
        os._exit(0)
"""


class Stub:
    """Starts stub players whose answer to every request is a piece of Python."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._program = folder / "program.py"
        monkeypatch.setattr(players, "PROGRAM", self._program)
        monkeypatch.setattr(forks, "PRELOAD", ())
        monkeypatch.delenv("PYTHONPATH", raising=False)

    @contextmanager
    def player(self, body: str, time_limit_s: float = 20.0) -> Iterator[PlayerProcess]:
        lines = body.replace("\n", "\n        ")
        self._program.write_text(PROGRAM.replace("BODY", lines))
        folder = str(self._program.parent)
        side = Side("solution", "/nowhere/build.py:load", "cpu", "each_step", cache=folder)
        player = PlayerProcess(side, Seat("cpu"), time_limit_s)
        player.start()
        try:
            player.ready()
            yield player
        finally:
            player.stop()
