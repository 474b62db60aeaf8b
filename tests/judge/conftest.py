# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge.in_process import Script
from tests.judge.scripted_row import Judge, scripted_judge
from tests.judge.stub_player import Stub
from tests.judge.table import Table


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others start players here too
    return Stub(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """One session for all tests: a player costs two seconds to start."""
    folder = tmp_path_factory.mktemp("table")
    with Table(folder) as table:
        yield table


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script) -> Iterator[Judge]:
    yield from scripted_judge(tmp_path, monkeypatch, script)
