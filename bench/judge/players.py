# SPDX-License-Identifier: Apache-2.0
"""Starts, asks and ends player processes; each failure becomes a typed status with last words."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.judge.environment import player_environment
from bench.judge.forks import ForkedProcess, fork_server
from bench.judge.orphans import end_orphans, left_running
from bench.judge.reply import PlayerFailure, Reply, plain_text, read_reply
from bench.player.channel import ChannelClosed, ProtocolError, channel_pair
from bench.player.memory import Memory
from bench.record.status import Status
from bench.task.side import Side

PROGRAM = Path(__file__).resolve().parents[1] / "player" / "__main__.py"
OUTPUT_LIMIT = 256 << 20  # bytes a player may write to one file, its own output included
DYING_S = 2.0  # a process that has closed its channel may still be leaving its device
KILL_LIMIT_S = 30.0  # a killed process that stays longer waits for a driver, not for us


@dataclass(frozen=True)
class Seat:
    """Where a player runs: its device, and how many threads its libraries may use."""

    device: str
    threads: int = 1


@dataclass
class PlayerProcess:
    """A fresh process that loads one side; `start` it, ask it, `stop` it."""

    side: Side
    seat: Seat
    time_limit_s: float
    image: int = 0
    """number of the fork server that it comes from"""
    _sent: int = field(default=0, init=False)
    _process: ForkedProcess | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process; `ready` waits for it, so that several can start at once."""
        self._home = Path(tempfile.mkdtemp(prefix="player-"))
        self._words = (self._home / "output").open("w+b")
        self._channel, end = channel_pair()
        try:
            with end:
                self._process = self._fork(end.fileno())
            self._channel.end_of_other = self._process.descriptor
            # From outside: code between fork and exec can hang where this process has threads.
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
            resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, 0))
            self._send({**dataclasses.asdict(self.seat), "side": dataclasses.asdict(self.side)}, ())
        except BaseException:
            self.stop()
            raise

    def _fork(self, end: int) -> ForkedProcess:
        request = {
            "program": str(PROGRAM),
            "home": str(self._home),
            "environment": player_environment(self._home, self.seat.threads),
            "writable": [*filter(None, [self.side.cache])],
        }
        return fork_server(self.image).fork(request, (end, self._words.fileno()))

    def ready(self) -> None:
        """Wait until the process has its device."""
        self._receive(time.monotonic(), self.time_limit_s)

    @property
    def pid(self) -> int:
        """The process id, for telling our own processes from foreign ones on a device."""
        assert self._process is not None
        return self._process.pid

    def pin(self, cpus: Sequence[int]) -> None:
        """Keep the thread that makes the calls on these cores; start-up is over."""
        os.sched_setaffinity(self.pid, cpus)

    def attach(self, name: str, memory: Memory) -> None:
        """Let the player map `memory` under `name`."""
        descriptors = () if memory.descriptor is None else (memory.descriptor,)
        self.ask({"do": "attach", "name": name, "handle": memory.handle}, descriptors)

    def ask(
        self,
        request: Mapping[str, Any],
        descriptors: Sequence[int] = (),
        time_limit_s: float | None = None,
    ) -> Reply:
        """Send one request and return its reply; PlayerFailure for anything but a good answer."""
        assert self._process is not None
        woken = not self._process.stood_still()
        started = time.monotonic()
        self._signal(signal.SIGCONT)
        self._send(request, descriptors)
        try:
            reply = self._receive(started, time_limit_s or self.time_limit_s)
        finally:  # a refusal is an answer too
            still = self._process.stand_still()
        left = ["a thread"] * (not still) + ["itself, woken in the others' turns"] * woken
        left += left_running(self.pid) if request["do"] == "sample" else []
        if left:
            self._kill()
            raise PlayerFailure(Status.LEFT_BEHIND, f"ran on after a call: {', '.join(left)}")
        return reply

    def hang_up(self) -> None:
        """Let the process end by itself; `stop` waits for it, so that several can end at once."""
        self._channel.close()
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the process and everything it left, and remove its private folder."""
        self._channel.close()
        if self._process is not None:
            self._kill(grace_s=DYING_S)
            end_orphans(self._process)
            self._process.close()
        self._channel.end_of_other = None
        self._words.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _send(self, message: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        self._sent += 1
        try:
            self._channel.send({**message, "id": self._sent}, descriptors)
        except ChannelClosed:
            raise self._gone() from None
        except TimeoutError:
            self._kill()
            text = f"the player answers without reading requests; {self._last_words()}"
            raise PlayerFailure(Status.PROTOCOL_ERROR, text) from None

    def _receive(self, started: float, limit_s: float) -> Reply:
        try:
            message, _ = self._channel.receive(limit_s)
            wall_us = (time.monotonic() - started) * 1e6
            return read_reply(message, self._sent, wall_us)
        except TimeoutError:
            self._kill()
            text = f"no answer within {limit_s:g} s; {self._last_words()}"
            raise PlayerFailure(Status.TIMED_OUT, text) from None
        except ChannelClosed:
            raise self._gone() from None
        except ProtocolError as error:
            self._kill()
            text = f"{plain_text(str(error))}; {self._last_words()}"
            raise PlayerFailure(Status.PROTOCOL_ERROR, text) from None
        except PlayerFailure as failure:
            if failure.status is Status.PROTOCOL_ERROR:
                self._kill()
            raise

    def _gone(self) -> PlayerFailure:
        code = self._kill(grace_s=DYING_S)
        if code is None:
            text = f"the player closed its channel and stayed alive; {self._last_words()}"
            return PlayerFailure(Status.PROTOCOL_ERROR, text)
        how = f"signal {_signal_name(-code)}" if code < 0 else f"exit code {code}"
        return PlayerFailure(Status.CRASHED, f"the player ended with {how}; {self._last_words()}")

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _kill(self, grace_s: float = 0.0) -> int | None:
        """End the process and its group; its exit code if it ended by itself within the grace."""
        process = self._process
        assert process is not None
        self._signal(signal.SIGCONT)
        code = process.wait(grace_s)
        self._signal(signal.SIGKILL)
        process.wait(KILL_LIMIT_S)
        return code

    def _last_words(self) -> str:
        self._words.flush()
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - 2000))
        text = plain_text(self._words.read().decode(errors="replace").strip())
        return f"last words: {text}" if text else "it said nothing"


def _signal_name(number: int) -> str:
    known = {one.value: one.name for one in signal.Signals}
    return known.get(number, str(number))  # a real-time signal has no name
