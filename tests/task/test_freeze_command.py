# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.ops import OPS
from bench.task.config import load_config
from bench.task.freeze import main
from bench.task.workload import load_workloads

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path):
    for name in ("config.toml", "workloads.json"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


def test_freezing_replaces_the_digest_and_nothing_else(checkout, capsys):
    config, workloads = checkout / "config.toml", checkout / "workloads.json"
    before = config.read_text(encoding="utf-8")
    old = load_config(config).task.workloads_sha256
    workloads.write_text(workloads.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    new = hashlib.sha256(workloads.read_bytes()).hexdigest()
    assert main(["--config", str(config)]) == 0
    assert capsys.readouterr().out == f"workloads_sha256: {old} -> {new}\n"
    assert config.read_text(encoding="utf-8") == before.replace(old, new)
    assert load_workloads(workloads, OPS, load_config(config).task.workloads_sha256).frozen


def test_freezing_what_is_frozen_changes_nothing(checkout, capsys):
    before = (checkout / "config.toml").read_bytes()
    assert main(["--config", str(checkout / "config.toml")]) == 0
    assert capsys.readouterr().out.startswith("already frozen: ")
    assert (checkout / "config.toml").read_bytes() == before


def test_workloads_that_cannot_be_used_are_not_frozen(checkout, capsys):
    (checkout / "workloads.json").write_text("{}", encoding="utf-8")
    before = (checkout / "config.toml").read_bytes()
    assert main(["--config", str(checkout / "config.toml")]) == 2
    assert capsys.readouterr().err == "workloads.json: missing key schema; add it\n"
    assert (checkout / "config.toml").read_bytes() == before


def test_a_digest_in_a_form_that_cannot_be_replaced_is_left_to_the_user(checkout, capsys):
    config = checkout / "config.toml"
    text = config.read_text(encoding="utf-8").replace("workloads_sha256 =", '"workloads_sha256" =')
    config.write_text(text, encoding="utf-8")
    assert main(["--config", str(config)]) == 2
    expected = f"{config}: expected one line that begins with workloads_sha256 =, got 0\n"
    assert capsys.readouterr().err == expected
    assert config.read_text(encoding="utf-8") == text
