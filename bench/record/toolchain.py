# SPDX-License-Identifier: Apache-2.0
"""The compilers and libraries that are there, by version; None for what is not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from bench.task.nvml import Gpus

PACKAGES = {
    "torch": "torch",
    "tvm_ffi": "apache-tvm-ffi",
    "triton": "triton",
    "nvidia_ml_py": "nvidia-ml-py",
    "numpy": "numpy",
    "scipy": "scipy",
}


def find_nvcc(environ: Mapping[str, str] = os.environ) -> str | None:
    """The CUDA compiler: CUDA_HOME's or CUDA_PATH's, else PATH's, else the usual place's."""
    homes = [environ[key] for key in ("CUDA_HOME", "CUDA_PATH") if environ.get(key)]
    places = [str(Path(home) / "bin") for home in homes]
    places += [environ.get("PATH", os.defpath), "/usr/local/cuda/bin"]
    return shutil.which("nvcc", path=os.pathsep.join(places))


def find_tool(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """A program on PATH or beside this Python, where packages such as ninja put theirs."""
    places = [environ.get("PATH", os.defpath), str(Path(sys.executable).parent)]
    return shutil.which(name, path=os.pathsep.join(places))


def package_versions() -> dict[str, str | None]:
    """The installed version of each library that a result may depend on."""
    return {name: _package(package) for name, package in PACKAGES.items()}


def compiler_versions(environ: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """The version that nvcc, g++ and ninja print."""
    return {
        "nvcc": _version(find_nvcc(environ), r"release ([\d.]+, V[\d.]+)"),
        "g++": _version(find_tool("g++", environ), r"(\d+\.\d+\.\d+)(?!.*\d\.\d)"),
        "ninja": _version(find_tool("ninja", environ), r"([\d.]+)"),
    }


def versions(gpus: Gpus, environ: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """Python, libraries, CUDA of this torch, driver and compilers."""
    return {
        "python": platform.python_version(),
        **package_versions(),
        "cuda": _torch_cuda(),
        "driver": gpus.ask(lambda: str(gpus.nvml.nvmlSystemGetDriverVersion())),
        **compiler_versions(environ),
    }


def _package(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _torch_cuda() -> str | None:
    try:
        from torch.version import cuda
    except ImportError:
        return None
    return cuda if cuda is None else str(cuda)


def _version(program: str | None, pattern: str) -> str | None:
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout)
    return found.group(1) if found else None
