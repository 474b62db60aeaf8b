# SPDX-License-Identifier: Apache-2.0
"""Builds and loads the ops of the folder that this file lies in, wherever that folder is copied.

A build is kept under a key of everything that shapes it: the contents of the source and of all
headers, flags, architecture, compiler and library versions. So neither a header edit nor a reload
in one process can serve old code, and two architectures never mix. The compiler is called directly,
without ninja: an op is one translation unit, and nvcc links with its own toolkit, whose root it
knows also where the nvcc on PATH is a wrapper.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple


def _python_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"solution_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FOLDER = Path(__file__).resolve().parent
_toolchain = _python_module(FOLDER / "toolchain.py")  # by path: the folder may lie anywhere
BuildError = _toolchain.BuildError
SUFFIXES = {"cuda": ".cu", "cpu": ".cc", "triton": ".py"}
ROUNDINGS = {"once": "-DROUNDING_ONCE", "each_step": "-DROUNDING_EACH_STEP"}
LOCK_TIMEOUT_S = 120  # a build of one op takes 2 to 5 seconds


# Named tuples, because a dataclass needs its module in sys.modules, which who loads this file by
# its path may not have done.
class Built(NamedTuple):
    """A library that is ready to load."""

    path: Path
    seconds: float
    """spent compiling; 0 where it was there already"""
    cached: bool
    command: str


class Entry(NamedTuple):
    """An op's functions, both called with positional tensors, outputs last."""

    call: Callable[..., None]
    plan: Callable[..., str] | None


def build(
    op: str,
    *,
    language: str,
    rounding: str,
    architecture: str | None,
    flags: Sequence[str],
    cache: Path,
) -> Built:
    """Return the op's library, compiled for one architecture ("sm_90"; None for the CPU)."""
    source = _source(op, language)
    if rounding not in ROUNDINGS:
        raise ValueError(f"rounding: expected {' or '.join(ROUNDINGS)}, got {rounding!r}")
    if language == "triton":  # compiled by Triton at its first call
        return Built(source, 0.0, True, "")
    compiler, needed = _toolchain.cuda(architecture) if language == "cuda" else _toolchain.cpu()
    headers, libraries = _toolchain.tvm_ffi_flags()
    command = [*compiler, *needed, ROUNDINGS[rounding], *flags, f"-I{FOLDER / 'include'}", *headers]
    command += [str(source), *libraries, "-o", f"{op}.so"]
    name = f"{op}-{architecture or language}-{rounding}-{_key(source, command)}"
    path = Path(cache).resolve() / f"{name}.so"
    started = time.monotonic()
    if path.exists():
        return Built(path, 0.0, True, shlex.join(command))
    with _locked(path.with_suffix(".lock"), op):
        if path.exists():  # another process built it while this one waited
            return Built(path, 0.0, True, shlex.join(command))
        _compile(command, source, path)
    return Built(path, time.monotonic() - started, False, shlex.join(command))


def load(
    op: str,
    *,
    language: str,
    rounding: str,
    architecture: str | None,
    flags: Sequence[str],
    cache: Path,
) -> Entry:
    """Build what is not yet built and return the op's bound functions."""
    built = build(
        op,
        language=language,
        rounding=rounding,
        architecture=architecture,
        flags=flags,
        cache=cache,
    )
    if language == "triton":
        module = _python_module(built.path)
        return Entry(getattr(module, op), getattr(module, f"{op}_plan", None))
    import tvm_ffi  # lazily, as it imports torch: 2 seconds that a build alone need not pay

    library = tvm_ffi.load_module(str(built.path))
    if not library.implements_function(op):
        raise BuildError(f"{_source(op, language)} exports no {op}; end it with SOLUTION_EXPORT")
    plan = f"{op}_plan"
    return Entry(library[op], library[plan] if library.implements_function(plan) else None)


def _source(op: str, language: str) -> Path:
    source = FOLDER / language / f"{op}{SUFFIXES.get(language, '')}"
    if language in SUFFIXES and source.is_file():
        return source
    others = [
        f"{FOLDER.name}/{other}"
        for other, suffix in SUFFIXES.items()
        if (FOLDER / other / f"{op}{suffix}").is_file()
    ]
    have = f"{', '.join(others)} {'have' if len(others) > 1 else 'has'}" if others else "none has"
    raise NotImplementedError(f"{FOLDER.name}/{language} has no {op}; {have}")


def _key(source: Path, command: Sequence[str]) -> str:
    """Hash what the library depends on: files by contents, the rest by its text."""
    digest = hashlib.sha256()
    for file in (source, *sorted((FOLDER / "include").iterdir())):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    digest.update("\0".join(command).encode())
    for compiler in (command[0], _toolchain.cxx()):
        digest.update(
            _toolchain.version(compiler, Path(compiler).resolve().stat().st_mtime_ns).encode()
        )
    digest.update(importlib.metadata.version("apache-tvm-ffi").encode())
    digest.update(_toolchain.processor().encode())
    return digest.hexdigest()[:16]


@contextmanager
def _locked(lock: Path, op: str) -> Iterator[None]:
    from tvm_ffi.utils import FileLock

    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    except OSError as error:
        raise BuildError(f"cannot write builds to {lock.parent}: {error.strerror}") from error
    held = FileLock(str(lock))  # the kernel frees it with its process, however that ends
    try:
        held.blocking_acquire(timeout=LOCK_TIMEOUT_S)
    except TimeoutError:
        raise BuildError(
            f"{op}: waited {LOCK_TIMEOUT_S} s for {lock}, held by {lock.read_text().strip()}; "
            "end that process or wait for it, then run again"
        ) from None
    try:
        lock.write_text(
            f"process {os.getpid()} on {platform.node()} ({shlex.join(sys.argv)[:200]})"
        )
        yield
    finally:
        held.release()


def _compile(command: Sequence[str], source: Path, path: Path) -> None:
    """Compile beside the target and rename: no reader ever sees half a library."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".building-") as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            words = (done.stderr + done.stdout).strip() or f"exit status {done.returncode}"
            raise BuildError(f"{source} does not compile:\n{words}\nby {shlex.join(command)}")
        (Path(folder) / command[-1]).replace(path)
