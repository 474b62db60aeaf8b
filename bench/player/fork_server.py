# SPDX-License-Identifier: Apache-2.0
"""Starts players: imports torch once, then forks a fresh process for each, in milliseconds.

Nothing of a side is ever loaded here, no device is opened and no second thread runs, so that what
a player starts from is the same for every side and holds nothing of another's. A player is its own
process from the fork on: session, home, environment, descriptors; then it is confined.
"""

from __future__ import annotations

import importlib
import os
import runpy
import socket
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Not this file's folder, whose modules would pass for top-level ones.
    sys.path[0] = ""

from bench.player.channel import Channel, ChannelClosed
from bench.player.confined import confine, end_first, end_with_parent

REPARENTED_POLL_S = 0.0002


def serve(channel: Channel) -> None:
    """Fork a player for each request until the judge closes the channel."""
    judge = os.getppid()
    while True:
        request, descriptors = channel.receive(descriptors_max=2)
        threads = len(list(Path("/proc/self/task").iterdir()))
        if threads != 1:
            raise RuntimeError(f"fork server: expected one thread before a fork, got {threads}")
        pid = _fork_player(request, descriptors, judge)
        for descriptor in descriptors:
            os.close(descriptor)
        channel.send({"pid": pid})


def _fork_player(request: Mapping[str, Any], descriptors: Sequence[int], judge: int) -> int:
    """The player's process id; it is a child of the judge, which takes in whom its children leave.

    The process between ends at once: the judge is the one to see how a player ends.
    """
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        player = os.fork()
        if player == 0:
            while os.getppid() != judge:
                time.sleep(REPARENTED_POLL_S)
            _become_player(request, *descriptors)
        os.write(writing, str(player).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(between, 0)
    with os.fdopen(reading, "rb") as answer:
        return int(answer.read())


def _become_player(request: Mapping[str, Any], channel: int, output: int) -> None:
    """Leave everything of the server's behind, confine the process and run the player."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        os.closerange(3, channel)
        os.closerange(channel + 1, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["home"])
        tempfile.tempdir = None
        end_with_parent()
        end_first()
        folders = [Path(folder) for folder in (request["home"], *request["writable"])]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        confine(folders)
        sys.argv = [request["program"], str(channel)]
        runpy.run_path(request["program"], run_name="__main__")
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def main(arguments: Sequence[str]) -> None:
    """Import what every player needs, then serve the channel; the descriptor comes first."""
    channel = Channel(socket.socket(fileno=int(arguments[0])))
    for name in arguments[1:]:
        importlib.import_module(name)
    channel.send({"pid": os.getpid()})
    try:
        serve(channel)
    except ChannelClosed:
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
