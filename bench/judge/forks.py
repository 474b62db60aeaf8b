# SPDX-License-Identifier: Apache-2.0
"""The fork servers that players come from, and a player's process as its parent sees it.

There are several so that the processes of a side come from several images: where a library lies in
memory can make the same code faster or slower, and an interval must count that.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.judge.environment import server_environment
from bench.judge.orphans import adopt
from bench.player.channel import ChannelClosed, channel_pair

SERVER = Path(__file__).resolve().parents[1] / "player" / "fork_server.py"
PRELOAD = ("torch", "bench.adapter", "bench.player.memory", "bench.timing.clocks")
START_LIMIT_S = 120.0  # an import of torch from a cold disk
FORK_LIMIT_S = 30.0
STOP_LIMIT_S = 5.0  # a thread that waits for a child of its own does not stop before that child
STOP_POLL_S = 0.00005


class ForkedProcess:
    """A child that somebody else forked for us."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.descriptor = os.pidfd_open(pid)
        """readable when the process has ended"""

    def wait(self, timeout: float) -> int | None:
        """The exit code, negative for a signal; None when it has not ended in time."""
        if self.returncode is None and select.select([self.descriptor], [], [], timeout)[0]:
            _, status = os.waitpid(self.pid, 0)
            self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def stand_still(self) -> bool:
        """Stop every thread and wait for the last, as one that is due would still run.

        An ended process stands still; False when a thread runs on.
        """
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGSTOP)
        deadline = time.monotonic() + STOP_LIMIT_S
        # The stop is taken note of here, so that a later one is seen as another.
        while not (self._changed(os.WSTOPPED) or self._changed(os.WEXITED | os.WNOWAIT)):
            if time.monotonic() > deadline:
                return False
            time.sleep(STOP_POLL_S)
        return True

    def stood_still(self) -> bool:
        """Whether nothing woke it since it was stopped, as a timer of its own can.

        The kernel tells its parent; one that stopped itself again has stopped once more.
        """
        return not self._changed(os.WCONTINUED | os.WSTOPPED)

    def _changed(self, how: int) -> bool:
        if self.returncode is not None:
            return bool(how & os.WEXITED)
        return os.waitid(os.P_PID, self.pid, how | os.WNOHANG) is not None

    def close(self) -> None:
        """Let go of the descriptor."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class ForkServer:
    """A process that has imported torch and nothing of a side."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._channel, end = channel_pair()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the server
        with end:
            command = [sys.executable, str(SERVER), str(end.fileno()), *PRELOAD]
            self._process = adopt(
                lambda: subprocess.Popen(
                    command,
                    pass_fds=[end.fileno()],
                    cwd="/",
                    env=dict(environment),
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=self._words,
                    stderr=subprocess.STDOUT,
                )
            )
        self._ready = False
        self._lock = threading.Lock()  # builds ask from several threads

    def fork(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> ForkedProcess:
        """A new player's process; RuntimeError with the server's last words if it has ended."""
        with self._lock:
            if not self._ready:
                self._receive(START_LIMIT_S)
                self._ready = True
            return adopt(lambda: self._fork(request, descriptors))

    def _fork(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> ForkedProcess:
        try:
            self._channel.send(request, descriptors)
        except ChannelClosed:
            raise self._ended() from None
        return ForkedProcess(int(self._receive(FORK_LIMIT_S)["pid"]))

    def _receive(self, limit_s: float) -> dict[str, Any]:
        try:
            return self._channel.receive(limit_s)[0]
        except (ChannelClosed, TimeoutError):
            raise self._ended() from None

    def _ended(self) -> RuntimeError:
        self._process.kill()
        self._words.seek(0)
        words = self._words.read().decode(errors="replace")[-2000:]
        return RuntimeError(f"fork server: expected a process, got none; last words: {words}")


_servers: dict[tuple[object, ...], ForkServer] = {}
_starting = threading.Lock()


def fork_server(image: int) -> ForkServer:
    """The server of this number for today's environment, started when first asked for."""
    environment = server_environment()
    key = (image, sys.executable, SERVER, PRELOAD, *sorted(environment.items()))
    with _starting:
        if key not in _servers:
            _servers[key] = ForkServer(environment)
        return _servers[key]
