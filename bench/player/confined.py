# SPDX-License-Identifier: Apache-2.0
"""What a player's process gives up before anything of a side is loaded or a thread is started.

It cannot be had back, by any code in the process or in its children:

- Landlock (Linux 5.13): files are written in the private folder, the build cache and the devices
  only; other processes' memory and descriptors are closed; from 6.7 no TCP, from 6.12 no signals.
- seccomp: other processes' priorities, cores and limits are out of reach.
- Root's capabilities: with CAP_PERFMON other processes' environments could be read all the same.

Where the kernel has no Landlock the player runs all the same; the provenance says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import struct
from collections.abc import Iterable
from pathlib import Path

from bench.task.host import CREATE_RULESET, landlock_version

ADD_RULE, RESTRICT_SELF = 445, 446  # the same on every architecture
PATH_BENEATH = 1
PARENT_DEATH, NO_NEW_PRIVS, SECCOMP, FILTER = 1, 38, 22, 2
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# Version -> rights that it knows: write, remove, make; then refer; then truncate.
WRITES = {1: WRITE_FILE | 0b1111111110000, 2: 1 << 13, 3: TRUNCATE}
TCP = 0b11  # bind and connect, from version 4
SIGNALS = 0b10  # to processes outside, from version 6
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "nvidia*", "nvidia-caps/*", "dri/*")
# Calls that change another process's scheduling or limits -> the argument that names it.
CHANGES = {
    "x86_64": {141: 1, 142: 0, 144: 0, 203: 0, 251: 1, 256: 0, 279: 0, 302: 0, 314: 0},
    "aarch64": {140: 1, 118: 0, 119: 0, 122: 0, 30: 1, 238: 0, 239: 0, 261: 0, 274: 0},
}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CAPABILITIES_VERSION = 0x20080522
KEPT = 1 << 1 | 1 << 2  # reading files whoever owns them: the checkout need not be root's
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # the second with EPERM

libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """Let the kernel end this process with its parent: a stopped player cannot see its judge go."""
    libc.prctl(PARENT_DEATH, signal.SIGKILL, 0, 0, 0)


def end_first() -> None:
    """Let the kernel end this process, not its judge, where memory runs out; for good if root's."""
    Path("/proc/self/oom_score_adj").write_text("1000")


def confine(writable: Iterable[Path]) -> None:
    """Let this process write below these folders and to devices, and touch no other process."""
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0):
        return
    _restrict_capabilities()
    _restrict_files(writable)
    _restrict_scheduling()


def _restrict_capabilities() -> None:
    header, sets = struct.pack("Ii", CAPABILITIES_VERSION, 0), ctypes.create_string_buffer(24)
    if libc.capget(header, sets):
        return
    low = (word & KEPT for word in struct.unpack("6I", sets.raw)[:3])
    libc.capset(header, struct.pack("6I", *low, 0, 0, 0))


def _restrict_files(writable: Iterable[Path]) -> None:
    version = landlock_version()
    if version == 0:
        return
    rights = sum(bits for since, bits in WRITES.items() if version >= since)
    network, scoped = (TCP if version >= 4 else 0), (SIGNALS if version >= 6 else 0)
    attributes = struct.pack("QQQ", rights, network, scoped)
    # Older kernels take a shorter structure; one beyond it must be zero, which these are.
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return
    devices = [path for name in DEVICES for path in Path("/dev").glob(name)]
    # CUDA writes below its own /proc as it starts; else cuInit fails (error 304, driver 580).
    kernel = [Path("/proc/self")] if Path("/dev/nvidiactl").exists() else []
    for path in (*writable, *devices, *kernel):
        allowed = rights if path.is_dir() else rights & (WRITE_FILE | TRUNCATE)
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", allowed, descriptor)
            libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
            os.close(descriptor)
    libc.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _restrict_scheduling() -> None:
    """Refuse the calls that change another process's scheduling or limits."""
    machine = platform.machine()
    if machine not in CHANGES:
        return
    program = _program(AUDIT[machine], CHANGES[machine], os.getpid())
    code = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
    )
    libc.prctl(SECCOMP, FILTER, ctypes.byref(header), 0, 0)


def _program(architecture: int, calls: dict[int, int], own: int) -> list[bytes]:
    """Classic BPF: a listed call passes if it names this process, as 0 or by its id."""
    load, equal, give = 0x20, 0x15, 0x06

    def line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value & 0xFFFFFFFF)

    program = [line(load, 4), line(equal, architecture, 1, 0), line(give, ALLOW), line(load, 0)]
    for number, argument in calls.items():
        program += [
            line(equal, number, 0, 5),
            line(load, 16 + 8 * argument),
            line(equal, 0, 1, 0),
            line(equal, own, 0, 1),
            line(give, ALLOW),
            line(give, REFUSE),
        ]
    return [*program, line(give, ALLOW)]
