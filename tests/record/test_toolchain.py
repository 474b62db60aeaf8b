# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.record.toolchain import compiler_versions, find_nvcc

NVCC = "Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.1\n"
GXX = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 and more\n"


@pytest.fixture
def tools(tmp_path):
    for name, text in (("nvcc", NVCC), ("g++", GXX), ("ninja", "1.13.0\n")):
        (tmp_path / "bin").mkdir(exist_ok=True)
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{text}END\n")
        program.chmod(0o755)
    return tmp_path


def test_versions_are_read_from_what_the_tools_print(tools):
    assert compiler_versions({"PATH": str(tools / "bin")}) == {
        "nvcc": "13.0, V13.0.88",
        "g++": "12.2.0",
        "ninja": "1.13.0",
    }


def test_cuda_home_comes_before_the_path(tools):
    environ = {"PATH": "/nowhere", "CUDA_HOME": str(tools)}
    assert find_nvcc(environ) == str(tools / "bin" / "nvcc")


def test_tool_that_fails_or_says_nothing_has_no_version(tools):
    (tools / "bin" / "g++").write_text("#!/bin/sh\nexit 1\n")
    (tools / "bin" / "nvcc").write_bytes(b"\x7fELF broken")
    versions = compiler_versions({"PATH": str(tools / "bin")})
    assert (versions["g++"], versions["nvcc"]) == (None, None)
