# SPDX-License-Identifier: Apache-2.0
"""docs/gpus.md: our readings are those of the committed results, its messages the harness's own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bench.record.results import read_results
from bench.task.config import load_config

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "gpus.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^\| `([^`]+)` \|", TEXT, re.MULTILINE)
SOURCES = [file for part in ("bench", "solution") for file in (ROOT / part).rglob("*.py")]


def row(name: str) -> dict[str, str]:
    """GPU -> cell."""
    lines = [line.strip("| ") for line in TEXT.splitlines() if line.startswith("|")]
    heads = [one.strip() for one in lines[0].split("|")]
    (found,) = (line for line in lines if line.startswith(name))
    return dict(zip(heads, [one.strip() for one in found.split("|")][1:], strict=True))


def test_our_readings_are_those_of_the_committed_results() -> None:
    files = sorted((ROOT / "results").glob("benchmark_*.jsonl"))
    records = [record for file in files for record in read_results(file)]
    device = records[0]["provenance"]["device"]
    rates = [one["roofline"]["cold_gbps"] for one in records if one["kind"] == "bench"]
    here = {
        "compute capability": device["compute_capability"],
        "multiprocessors": str(device["sm_count"]),
        "memory bandwidth, GB/s": f"{max(rates):.0f}",
        "L2, MiB": str(device["l2_bytes"] >> 20),
    }
    assert {name: row(name)["H200, as measured here"] for name in here} == here


def test_bandwidths_are_those_of_the_configuration() -> None:
    stated = row("memory bandwidth")
    for device, gbps in load_config(ROOT / "config.toml").datasheet_gbps.items():
        (name,) = (one for one in stated if one.split()[0] in re.split(r"[ -]", device))
        assert stated[name] == f"{gbps:.0f}", device


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_one_of_the_harness(message: str) -> None:
    texts = (
        node.value
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    assert any(message in text for text in texts)


def test_there_are_messages() -> None:
    assert len(MESSAGES) >= 8
