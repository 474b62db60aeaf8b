# SPDX-License-Identifier: Apache-2.0
"""The two floors as sides, `entry.py:stream` and `entry.py:empty`; a producer of late inputs."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from bench.ops import OPS
from bench.record.toolchain import find_nvcc, find_tool
from bench.task import host

FOLDER = Path(__file__).resolve().parent
HEADER = FOLDER / "flat.h"


class Entry(NamedTuple):
    """A floor's functions, both called with positional tensors, outputs last."""

    call: Callable[..., None]
    plan: Callable[..., str]


def stream(op: str, *, architecture: str | None, cache: Path, **_: object) -> Entry:
    """Load the kernel that reads the op's inputs once and writes its outputs once."""
    return _load("stream", op, architecture, cache)


def empty(op: str, *, architecture: str | None, cache: Path, **_: object) -> Entry:
    """Load the launch of nothing, called with the op's tensors."""
    return _load("empty", op, architecture, cache)


def _load(name: str, op: str, architecture: str | None, cache: Path) -> Entry:
    import tvm_ffi  # lazily, as it imports torch: 2 seconds

    library = tvm_ffi.load_module(str(build(op, architecture, cache)))
    return Entry(library[name], library[f"{name}_plan"])


def build(op: str, architecture: str | None, cache: Path) -> Path:
    """Return the library with both floors; ops with the same tensor counts share one."""
    source = FOLDER / ("floor.cu" if architecture else "floor.cc")
    return _build(source, len(OPS[op].inputs), len(OPS[op].outputs), architecture, cache)


def build_producer(architecture: str, cache: Path) -> Path:
    """Return the library whose `late_copy` writes tensors after the next grid may start."""
    return _build(FOLDER / "producer.cu", 1, 1, architecture, cache)


def _build(source: Path, inputs: int, outputs: int, architecture: str | None, cache: Path) -> Path:
    counts = [f"-DINPUTS={inputs}", f"-DOUTPUTS={outputs}"]
    command = [*_compiler(architecture), *counts, "-O3", "-std=c++17", "-shared", str(source)]
    command += _tvm_ffi_flags()
    path = cache.resolve() / f"{source.stem}-{architecture or 'cpu'}-{_key(source, command)}.so"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Compiled beside the target and renamed: two builders at once both leave a whole library.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".building-") as folder:
        done = subprocess.run(
            [*command, "-o", path.name], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{source.name} does not compile:\n{done.stderr}{done.stdout}")
        (Path(folder) / path.name).replace(path)
    return path


def _compiler(architecture: str | None) -> list[str]:
    name, program = "g++", find_tool("g++")
    if architecture:
        name, program = "nvcc", find_nvcc()
    if program is None:
        raise RuntimeError(
            f"{name}: not found; run python bench/preflight.py, it names the way out"
        )
    if not architecture:
        return [program, "-march=native", "-fopenmp", "-fPIC"]
    number = architecture.removeprefix("sm_")
    # nvcc links with its own toolkit, whose root it knows also where the one on PATH is a wrapper.
    return [program, f"-gencode=arch=compute_{number},code=sm_{number}", "-Xcompiler", "-fPIC"]


def _tvm_ffi_flags() -> list[str]:
    from tvm_ffi import libinfo

    folders = (libinfo.find_include_path(), libinfo.find_dlpack_include_path())
    library = Path(libinfo.find_libtvm_ffi()).parent
    return [*(f"-I{folder}" for folder in folders), f"-L{library}", "-ltvm_ffi"]


def _key(source: Path, command: Sequence[str]) -> str:
    """Hash sources, command, compiler and processor: -march=native means another elsewhere."""
    version = subprocess.run([command[0], "--version"], capture_output=True, check=False).stdout
    parts = [source.read_bytes(), HEADER.read_bytes(), version, "\0".join(command).encode()]
    parts += [metadata.version("apache-tvm-ffi").encode(), host.cpu_model().encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
