# SPDX-License-Identifier: Apache-2.0
"""What the kernel says of this host: processor, caches, memory and load."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

PROC = Path("/proc")
SYS = Path("/sys")
CREATE_RULESET, VERSION_FLAG = 444, 1  # Landlock's system call, the same on every architecture


def usable_cores() -> list[int]:
    """The cores that this process may run on."""
    return sorted(os.sched_getaffinity(0))


def cpu_model(proc: Path = PROC) -> str:
    """The processor's name, or its architecture where the kernel does not name it."""
    return _cpuinfo("model name", proc) or platform.machine()


def cpu_mhz(proc: Path = PROC) -> float | None:
    """The first core's clock at this moment."""
    value = _cpuinfo("cpu MHz", proc)
    return float(value) if value else None


def load_1m(proc: Path = PROC) -> float | None:
    """The host's load average over one minute, all its programs together."""
    text = _read(proc / "loadavg")
    return float(text.split()[0]) if text else None


def memory_bytes(proc: Path = PROC, sys: Path = SYS) -> int:
    """The memory that this process can use: the host's, or its control group's if that is less."""
    lines = (_read(proc / "meminfo") or "").splitlines()
    total = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal")), 0)
    limit = (_read(sys / "fs/cgroup/memory.max") or "").strip()
    return min(total, int(limit)) if limit.isdecimal() else total


def available_memory_bytes(proc: Path = PROC, sys: Path = SYS) -> int:
    """What can be allocated now without swapping, within this process's control group."""
    lines = (_read(proc / "meminfo") or "").splitlines()
    found = (int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    available = next(found, memory_bytes(proc, sys))
    limit = (_read(sys / "fs/cgroup/memory.max") or "").strip()
    used = (_read(sys / "fs/cgroup/memory.current") or "").strip()
    if limit.isdecimal() and used.isdecimal():
        available = min(available, max(0, int(limit) - int(used)))
    return available


def last_cache_bytes(sys: Path = SYS) -> int:
    """The size of the outermost cache of the first core; 0 where the kernel does not say."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    largest = 0
    for file in sorted((sys / "devices/system/cpu/cpu0/cache").glob("index*/size")):
        text = (_read(file) or "").strip()
        if text[:-1].isdecimal() and text[-1:] in units:
            largest = max(largest, int(text[:-1]) * units[text[-1]])
    return largest


def landlock_version() -> int:
    """The kernel's Landlock version; 0 where it has none or has it switched off."""
    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, VERSION_FLAG)))


def _cpuinfo(key: str, proc: Path) -> str | None:
    # one page is the first cores; the whole file takes milliseconds on a host of 128 cores
    try:
        with (proc / "cpuinfo").open("rb") as file:
            text = os.read(file.fileno(), 4096).decode(errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


def _read(file: Path) -> str | None:
    try:
        return file.read_text()
    except OSError:
        return None
