# SPDX-License-Identifier: Apache-2.0
"""One judge a GPU: a lock file by UUID that every user of the host shares."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.task.errors import UserError


@contextmanager
def hold_gpu(uuid: str, folder: Path | None = None) -> Iterator[None]:
    """Hold the GPU's lock; UserError with the holder's pid when another process has it."""
    folder = folder or Path(tempfile.gettempdir()) / "kernel-judge"
    file = folder / (re.sub(r"[^A-Za-z0-9-]", "_", uuid) + ".lock")
    try:
        descriptor = _open(file)
    except OSError as error:
        raise UserError(
            f"{file}: expected a writable lock file, got: {error.strerror}; remove it, or set "
            "TMPDIR to a folder of yours"
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        os.close(descriptor)
        raise UserError(
            f"GPU {uuid}: in use by another judge, process {pid}; wait for it to end or choose "
            "another GPU"
        ) from None
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # the file stays: removing it would let two processes hold two files of one name
        os.ftruncate(descriptor, 0)
        os.close(descriptor)


def _open(file: Path) -> int:
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # another user's folder, which is open to all already
        file.parent.chmod(0o1777)
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        # O_CREAT is kept for a new file: Linux refuses it on others' files in a shared folder
        return os.open(file, flags)
    except FileNotFoundError:
        descriptor = os.open(file, flags | os.O_CREAT, 0o666)
        os.fchmod(descriptor, 0o666)
        return descriptor
