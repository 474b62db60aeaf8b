# SPDX-License-Identifier: Apache-2.0
"""Starts, asks and ends player processes; each failure becomes a typed status with last words."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.player.channel import ChannelClosed, ProtocolError, channel_pair
from bench.player.memory import Memory
from bench.record.status import Status
from bench.task.side import Side

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CXX",
    "VIRTUAL_ENV",
    "LANG",
    "LC_ALL",
)
"""What a player inherits; everything else is the judge's own business."""
OUTPUT_LIMIT = 256 << 20  # bytes a player may write to one file, its own output included
REPLY_FIELDS = {"id": int, "ok": bool, "us": list, "kind": str, "text": str}


class PlayerFailure(Exception):
    """A player did not answer as it must: `status` says how, the text holds its last words."""

    def __init__(self, status: Status, text: str, kind: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.kind = kind


@dataclass(frozen=True)
class Reply:
    """A player's answer: numbers, and text that is shown and never parsed."""

    us: tuple[float, ...]
    text: str
    wall_us: float
    """the judge's own clock from request to reply"""


@dataclass(frozen=True)
class Seat:
    """Where a player runs: its device, its cores, and whether it polls for requests."""

    device: str
    cpus: tuple[int, ...] = ()
    threads: int = 1
    spin: bool = False


@dataclass
class PlayerProcess:
    """A fresh process that loads one side; `start` it, ask it, `stop` it."""

    side: Side
    seat: Seat
    time_limit_s: float
    _sent: int = field(default=0, init=False)

    def start(self) -> None:
        """Start the process; `ready` waits for it, so that several can start at once."""
        self._home = Path(tempfile.mkdtemp(prefix="player-"))
        self._words = (self._home / "output").open("w+b")
        self._channel, end = channel_pair()
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        path = [str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]
        environment |= {
            "HOME": str(self._home),
            "TMPDIR": str(self._home),
            "PYTHONNOUSERSITE": "1",
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": str(self.seat.threads),
        }
        with end:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.player", str(end.fileno())],
                pass_fds=[end.fileno()],
                cwd=self._home,
                env=environment,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=subprocess.STDOUT,
                preexec_fn=_limit_output,
            )
        hello = {
            "side": dataclasses.asdict(self.side),
            "device": self.seat.device,
            "cpus": list(self.seat.cpus),
            "threads": self.seat.threads,
            "spin": self.seat.spin,
        }
        self._send(hello, ())

    def ready(self) -> None:
        """Wait until the process has its device."""
        self._receive(time.monotonic(), self.time_limit_s)

    @property
    def pid(self) -> int:
        """The process id, for telling our own processes from foreign ones on a device."""
        return self._process.pid

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
        started = time.monotonic()
        self._send(request, descriptors)
        return self._receive(started, time_limit_s or self.time_limit_s)

    def stop(self) -> None:
        """End the process and every child it left, and remove its private folder."""
        self._channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._words.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _send(self, message: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        self._sent += 1
        try:
            self._channel.send({**message, "id": self._sent}, descriptors)
        except ChannelClosed:
            raise self._gone() from None

    def _receive(self, started: float, limit_s: float) -> Reply:
        try:
            reply, _ = self._channel.receive(limit_s)
        except TimeoutError:
            self._kill()
            text = f"no answer within {limit_s:g} s; {self._last_words()}"
            raise PlayerFailure(Status.TIMED_OUT, text) from None
        except ChannelClosed:
            raise self._gone() from None
        except ProtocolError as error:
            self._kill()
            raise PlayerFailure(Status.PROTOCOL_ERROR, str(error)) from None
        wall_us = (time.monotonic() - started) * 1e6
        self._check_schema(reply)
        if not reply["ok"]:
            raise PlayerFailure(_status_of(reply["kind"]), reply["text"], reply["kind"])
        return Reply(tuple(reply["us"]), reply["text"], wall_us)

    def _check_schema(self, reply: Mapping[str, Any]) -> None:
        good = set(reply) == set(REPLY_FIELDS) and all(
            type(reply[name]) is kind for name, kind in REPLY_FIELDS.items()
        )
        good = good and reply["id"] == self._sent
        good = good and all(type(us) is float and math.isfinite(us) for us in reply["us"])
        if not good:
            self._kill()
            raise PlayerFailure(
                Status.PROTOCOL_ERROR,
                f"reply: expected the fields {list(REPLY_FIELDS)} of request"
                f" {self._sent}, got {str(reply)[:200]}",
            )

    def _gone(self) -> PlayerFailure:
        self._kill()
        code = self._process.returncode
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return PlayerFailure(Status.CRASHED, f"the player ended with {how}; {self._last_words()}")

    def _kill(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)  # one that is dying anyway keeps its own exit code
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_words(self) -> str:
        self._words.flush()
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - 2000))
        text = self._words.read().decode(errors="replace").strip()
        return f"last words: {text}" if text else "it said nothing"


def _limit_output() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_LIMIT, OUTPUT_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _status_of(kind: str) -> Status:
    return {
        "NotImplementedError": Status.NOT_IMPLEMENTED,
        "BuildError": Status.BUILD_FAILED,
        "OutOfMemoryError": Status.OUT_OF_MEMORY,
        "TypeError": Status.REJECTED_INPUT,
        "ValueError": Status.REJECTED_INPUT,
    }.get(kind, Status.CRASHED)
