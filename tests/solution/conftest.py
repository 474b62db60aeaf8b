# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the two modules beside this one

from solution import build as solution_build

CPU_FLAGS = ("-O3", "-march=native", "-Wall", "-Wextra", "-Werror")
OP = "broadcast_add_4d"
QUICK = ("-O0",)  # where it matters what is built and not how fast it runs


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("builds")


@pytest.fixture(scope="session")
def cpu_entry(build_cache):
    """load(op, rounding, flags) on the CPU back end; a combination is compiled once a session."""

    def load(op, rounding, flags=CPU_FLAGS):
        return solution_build.load(
            op,
            language="cpu",
            rounding=rounding,
            architecture=None,
            flags=flags,
            cache=build_cache,
        )

    return load


@pytest.fixture
def solution_copy(tmp_path):
    """A folder laid out like solution/, with its build module loaded from where it lies."""
    folder = tmp_path / "competitor"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(solution_build.FOLDER, folder, ignore=ignored)
    return folder


def module_at(folder):
    spec = importlib.util.spec_from_file_location("competitor_build", folder / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def builder(solution_copy, tmp_path):
    """build(**changes) and load(**changes) of a copied folder, into a cache of its own."""
    module = module_at(solution_copy)
    usual = {
        "language": "cpu",
        "rounding": "once",
        "architecture": None,
        "flags": QUICK,
        "cache": tmp_path / "cache",
    }

    class Builder:
        folder, cache = solution_copy, tmp_path / "cache"
        Error = module.BuildError
        source = solution_copy / "cpu" / f"{OP}.cc"
        header = solution_copy / "include" / "lanes.h"
        lock_timeout = staticmethod(lambda s: setattr(module, "LOCK_TIMEOUT_S", s))

        @staticmethod
        def forget():
            module._toolchain.processor.cache_clear()

        @staticmethod
        def build(op=OP, **changes):
            return module.build(op, **{**usual, **changes})

        @staticmethod
        def load(op=OP, **changes):
            return module.load(op, **{**usual, **changes})

    return Builder
