# SPDX-License-Identifier: Apache-2.0
"""The compilers on this machine, what they must be told, and what of them a build depends on."""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

USUAL_CUDA = "/usr/local/cuda/bin"


class BuildError(RuntimeError):
    """An op could not be built; the text says why, in the compiler's own words where it has any."""


def cuda(architecture: str | None) -> tuple[list[str], list[str]]:
    """nvcc and what it needs for one architecture such as "sm_90"."""
    number = re.fullmatch(r"sm_(\d+[af]?)", architecture or "")
    if not number:
        raise ValueError(f"architecture: expected one like sm_90, got {architecture!r}")
    homes = [os.environ[key] for key in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(key)]
    folders = [*(f"{home}/bin" for home in homes), *os.get_exec_path(), USUAL_CUDA]
    nvcc = shutil.which("nvcc", path=os.pathsep.join(folders))
    if not nvcc:
        raise BuildError(
            f"nvcc is neither in CUDA_HOME, on PATH nor in {USUAL_CUDA}; install the CUDA "
            "toolkit or export CUDA_HOME=the folder that holds bin/nvcc"
        )
    target = f"-gencode=arch=compute_{number[1]},code=sm_{number[1]}"
    return [nvcc, "-ccbin", cxx()], ["-std=c++17", "-shared", "-Xcompiler", "-fPIC", target]


def cpu() -> tuple[list[str], list[str]]:
    """The C++ compiler and what it needs: OpenMP, and no contraction of products and sums."""
    needed = ["-std=c++17", "-shared", "-fPIC", "-fopenmp", "-ffp-contract=off", "-Wno-psabi"]
    return [cxx()], needed


def cxx() -> str:
    """The C++ compiler, which is also the one that nvcc hands host code to."""
    wanted = [os.environ["CXX"]] if os.environ.get("CXX") else ["g++", "c++"]
    for name in wanted:
        if found := shutil.which(name):
            return found
    raise BuildError(
        f"no C++ compiler: {' and '.join(wanted)} not found; install g++ (apt-get install g++) or "
        "export CXX=the compiler"
    )


def tvm_ffi_flags() -> tuple[list[str], list[str]]:
    """What finds the headers of tvm-ffi, and what links with it."""
    from tvm_ffi import libinfo  # lazily, as it imports torch: 2 seconds

    library = Path(libinfo.find_libtvm_ffi())
    return (
        ["-isystem", libinfo.find_include_path(), "-isystem", libinfo.find_dlpack_include_path()],
        [f"-L{library.parent}", "-ltvm_ffi"],
    )


@functools.cache
def version(compiler: str, modified_ns: int) -> str:
    """What the compiler says of itself, asked again only where its file has changed."""
    return subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout


@functools.cache
def processor() -> str:
    """What -march=native means here: a cache may be shared with, or copied to, another machine."""
    cpuinfo = Path("/proc/cpuinfo")
    text = ""
    if cpuinfo.exists():
        with cpuinfo.open() as file:
            text = file.read(8192)  # the first core; all of 128 take milliseconds
    flags = re.search(r"^(flags|Features)\s*:.*", text, re.MULTILINE)
    return f"{platform.machine()} {flags[0] if flags else platform.processor()}"
