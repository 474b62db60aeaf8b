# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from solution import build as solution_build

OP = "residual_gate_add"


def build(cache, language="cuda", architecture="sm_90"):
    return solution_build.build(
        OP, language=language, rounding="once", architecture=architecture, flags=(), cache=cache
    )


def program(folder, name, script="exit 0"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """A machine whose PATH holds one empty folder; returned, for a test to fill."""
    for key in ("CUDA_HOME", "CUDA_PATH", "CXX"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(solution_build._toolchain, "USUAL_CUDA", str(tmp_path / "nowhere"))
    return tmp_path / "bin"


def test_a_missing_nvcc_is_one_sentence_with_the_way_out(bare_machine, tmp_path):
    with pytest.raises(solution_build.BuildError) as caught:
        build(tmp_path / "cache")
    assert str(caught.value).startswith("nvcc is neither in CUDA_HOME, on PATH nor in ")
    assert "export CUDA_HOME=" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("language", "architecture"), [("cpu", None), ("cuda", "sm_90")])
def test_a_missing_cpp_compiler_is_one_sentence_with_the_way_out(
    language, architecture, bare_machine, tmp_path
):
    program(bare_machine, "nvcc")
    with pytest.raises(solution_build.BuildError) as caught:
        build(tmp_path / "cache", language, architecture)
    assert str(caught.value) == (
        "no C++ compiler: g++ and c++ not found; install g++ (apt-get install g++) or export "
        "CXX=the compiler"
    )


def test_cuda_home_goes_before_path(bare_machine, tmp_path, monkeypatch):
    program(bare_machine, "g++")
    program(bare_machine, "nvcc", "echo wrong; exit 1")
    home = tmp_path / "toolkit"
    home.mkdir()
    program(home / "bin", "nvcc", "echo chosen; exit 1")
    monkeypatch.setenv("CUDA_HOME", str(home))
    with pytest.raises(solution_build.BuildError, match="chosen"):
        build(tmp_path / "cache")


def test_ninja_is_not_needed(bare_machine, tmp_path):
    program(bare_machine, "g++", 'test "$1" = --version || : > residual_gate_add.so')
    assert build(tmp_path / "cache", "cpu", None).path.exists()


def test_the_architecture_asked_for_is_the_one_compiled(bare_machine, tmp_path):
    program(bare_machine, "g++")
    program(bare_machine, "nvcc", 'test "$1" = --version || : > residual_gate_add.so')
    built = {a: build(tmp_path / "cache", architecture=a) for a in ("sm_90", "sm_100", "sm_90a")}
    assert "arch=compute_100,code=sm_100 " in built["sm_100"].command
    assert "arch=compute_90a,code=sm_90a " in built["sm_90a"].command
    assert len({one.path for one in built.values()}) == 3


@pytest.mark.parametrize("architecture", [None, "9.0", "sm_"])
def test_an_architecture_that_is_none_is_refused(architecture, bare_machine, tmp_path):
    with pytest.raises(ValueError, match="architecture: expected one like sm_90, got"):
        build(tmp_path / "cache", architecture=architecture)


def test_importing_the_build_module_builds_nothing_and_asks_nothing():
    text = (solution_build.FOLDER / "build.py").read_text()
    assert "\nimport tvm_ffi" not in text and "\nimport torch" not in text
    assert not list(Path(solution_build.FOLDER).rglob("*.so"))
