# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import platform
import re

import pytest

from bench.record.machine import MachineProbe
from bench.record.provenance import provenance
from bench.record.tree import tree_digest
from bench.task.device import resolve_device
from tests.fake_gpu import ONE, TWO, FakeCuda, FakeGpu, FakeNvml


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "my project"
    for folder in ("baseline", "solution", "bench"):
        (root / folder).mkdir(parents=True)
        (root / folder / "a.py").write_text(folder)
    (root / "config.toml").write_text("")
    (root / "workloads.json").write_text("{}")
    return root


def collect(root, device, nvml, **more):
    arguments = {
        "solution": root / "solution",
        "config": root / "config.toml",
        "workloads": root / "workloads.json",
        "timer": "cuda_events",
        "idle_before": MachineProbe(device, nvml).read(),
        "argv": [str(root / "bench" / "benchmark.py"), f"--out={root}/results/a.jsonl"],
        "environ": {"PATH": "/usr/bin:/bin"},
        "nvml": nvml,
    }
    return provenance(root, device, **{**arguments, **more})


NVML = FakeNvml(FakeGpu(TWO), FakeGpu(ONE, used_mib=5))
GPU = resolve_device("cuda:1", environ={}, cuda=FakeCuda(TWO, ONE))
CPU = resolve_device("cpu", environ={})


def test_record_is_about_the_chosen_device(root):
    record = collect(root, GPU, NVML)
    device = record["device"]
    assert (device["uuid"], device["compute_capability"]) == (ONE, "9.0")
    assert (device["max_sm_clock_mhz"], device["max_memory_clock_mhz"]) == (1980, 3201)
    assert device["l2_bytes"] == 60 << 20
    assert record["idle_before"]["memory_used_mib"] == 5
    assert record["versions"]["driver"] == "580.159.04"
    assert record["timer"] == "cuda_events"


def test_cpu_record_has_no_gpu_in_it(root):
    record = collect(root, CPU, FakeNvml(missing=True))
    assert record["device"]["uuid"] is None
    assert record["device"]["max_sm_clock_mhz"] is None
    assert record["versions"]["driver"] is None
    assert record["nvml"].startswith("NVML is not there")


def test_digests_are_those_of_the_given_folder(root, tmp_path):
    elsewhere = tmp_path / "theirs"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text("other")
    record = collect(root, CPU, NVML, solution=elsewhere)
    assert record["tree_sha256"]["solution"] == tree_digest(elsewhere)
    assert record["tree_sha256"]["bench"] == tree_digest(root / "bench")
    assert record["solution_folder"] == "<elsewhere>/theirs"
    assert set(record["file_sha256"]) == {"workloads", "config"}


def test_no_path_and_no_name_of_the_machine_is_recorded(root, tmp_path):
    argv = [
        str(root / "bench" / "benchmark.py"),
        f"--out={root}/results/a.jsonl",
        "--solution",
        "/home/bob/the folder/theirs",
        "--rows=all",
    ]
    record = collect(root, GPU, NVML, argv=argv)
    assert record["command"] == [
        "bench/benchmark.py",
        "--out=results/a.jsonl",
        "--solution",
        "<elsewhere>/theirs",
        "--rows=all",
    ]
    text = json.dumps(record, allow_nan=False)
    assert str(tmp_path) not in text
    assert "bob" not in text
    assert not re.search(r'"/', text)
    assert json.dumps(platform.node()) not in text


def test_versions_name_every_tool(root):
    versions = collect(root, CPU, NVML)["versions"]
    named = {"python", "torch", "tvm_ffi", "triton", "cuda", "driver", "nvcc", "g++", "ninja"}
    assert named <= set(versions)
    assert versions["python"] == platform.python_version()
    assert versions["torch"][0].isdigit()
