# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the two modules beside this one

from solution import build as solution_build

CPU_FLAGS = ("-O3", "-march=native", "-Wall", "-Wextra", "-Werror")


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
