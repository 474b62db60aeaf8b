# SPDX-License-Identifier: Apache-2.0
"""Ends processes that a player left behind, whatever session or group they moved to."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

PR_SET_CHILD_SUBREAPER = 36
LIMIT_S = 5.0  # an orphan's own children become ours when it ends, so this goes by generations

_ours: set[int] = set()
_lock = threading.Lock()  # a process is either still being started or known


class Child(Protocol):
    """A process that we started."""

    pid: int


AnyChild = TypeVar("AnyChild", bound=Child)


def adopt(start: Callable[[], AnyChild]) -> AnyChild:
    """Start a process and know it; from now on whoever loses its parent becomes a child of ours."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with _lock:
        process = start()
        _ours.add(process.pid)
    return process


def end_orphans(process: Child) -> None:
    """Forget a player that ended; kill and reap every process that any player left without parent.

    What we start by ourselves is a player that is known, or shares our session; a descendant of a
    player can do neither.
    """
    deadline = time.monotonic() + LIMIT_S
    with _lock:
        _ours.discard(process.pid)
        while (found := _orphans()) and time.monotonic() < deadline:
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _orphans() -> list[int]:
    me, session = os.getpid(), os.getsid(0)
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parent, its_session = int(fields[1]), int(fields[3])
        if parent == me and its_session != session and int(folder.name) not in _ours:
            found.append(int(folder.name))
    return found


def left_running(player: int) -> list[str]:
    """Processes that a player has now, its own children or what they left: `sleep (4711)`."""
    with _lock:
        found = [*_children(player), *(pid for pid in _children(os.getpid()) if _strange(pid))]
    return [f"{name} ({pid})" for pid in found if (name := _running(pid))]


def _children(parent: int) -> list[int]:
    """Each thread lists its own; a kernel without these lists shows none."""
    pids: list[int] = []
    with contextlib.suppress(OSError):  # it ended meanwhile
        for thread in Path(f"/proc/{parent}/task").iterdir():
            with contextlib.suppress(OSError):
                pids += map(int, (thread / "children").read_bytes().split())
    return pids


def _strange(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        return pid not in _ours and os.getsid(pid) != os.getsid(0)
    return False


def _running(pid: int) -> str:
    """The name of a process that has not ended yet."""
    with contextlib.suppress(OSError):
        head, _, rest = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")
        return "" if rest.split()[0] in "ZX" else head.partition("(")[2]
    return ""
