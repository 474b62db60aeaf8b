# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.preflight import examine, main, pick_idle_gpu, show
from bench.task.errors import UserError
from tests.fake_gpu import ONE, TWO, FakeGpu, FakeNvml

ROOT = Path(__file__).resolve().parents[1]
NO_GPU = FakeNvml(missing=True)


@pytest.fixture
def tools(tmp_path):
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, text in (("nvcc", "release 13.0, V13.0.88"), ("g++", "12.2.0"), ("ninja", "1.13.0")):
        (folder / name).write_text(f"#!/bin/sh\necho '{text}'\n")
        (folder / name).chmod(0o755)
    return folder


def look(root, tools, nvml=NO_GPU, **environ):
    return examine(root, {"PATH": str(tools), **environ}, nvml)


def test_machine_without_gpu_is_ready_and_says_so(tmp_path, tools):
    report = look(tmp_path, tools)
    assert report.problems == []
    assert report.notes[0].startswith("no GPU (NVML is not there")
    assert report.exports == {}
    assert (tmp_path / "results").is_dir()
    assert report.folders == {"results": "writable", ".cache": "writable"}


def test_first_idle_gpu_is_exported_by_uuid(tmp_path, tools):
    report = look(tmp_path, tools, FakeNvml(FakeGpu(ONE, used_mib=500), FakeGpu(TWO)))
    assert report.exports == {
        "CUDA_VISIBLE_DEVICES": TWO,
        "REMOTE_GPU_ID": TWO,
        "KDA_REQUIRE_PINNED_GPU": "1",
    }
    text = show(report)
    assert f"gpu 0                {ONE} NVIDIA H200: 500 MiB used (idle is at most 32)" in text
    assert f"gpu 1                {TWO} NVIDIA H200: idle" in text
    assert text.endswith(
        f"export CUDA_VISIBLE_DEVICES={TWO}\nexport REMOTE_GPU_ID={TWO}\n"
        "export KDA_REQUIRE_PINNED_GPU=1"
    )


def test_exports_keep_to_the_gpus_that_are_visible(tmp_path, tools):
    nvml = FakeNvml(FakeGpu(ONE), FakeGpu(TWO))
    assert look(tmp_path, tools, nvml, CUDA_VISIBLE_DEVICES=TWO).exports["REMOTE_GPU_ID"] == TWO


def test_machine_whose_gpus_are_all_busy_is_not_ready(tmp_path, tools):
    report = look(tmp_path, tools, FakeNvml(FakeGpu(ONE, pids=(77,))))
    assert any(f"no idle GPU to pick: {ONE}: processes 77" in text for text in report.problems)
    assert report.exports == {}


@pytest.mark.parametrize("name", ["g++", "nvcc"])
def test_missing_compiler_is_a_problem_with_its_way_out(tmp_path, tools, name):
    (tools / name).write_text("#!/bin/sh\nexit 1\n")
    nvml = FakeNvml(FakeGpu())
    assert any(text.startswith(f"{name} is not") for text in look(tmp_path, tools, nvml).problems)


def test_missing_nvcc_is_only_a_note_without_a_gpu(tmp_path, tools):
    (tools / "nvcc").write_text("#!/bin/sh\nexit 1\n")
    report = look(tmp_path, tools)
    assert report.problems == []
    assert any(text.startswith("nvcc is not found: put") for text in report.notes)


def test_folder_that_cannot_be_made_is_a_problem(tmp_path, tools):
    (tmp_path / "results").write_text("a file")
    report = look(tmp_path, tools)
    assert report.folders["results"].startswith("not writable")
    assert "choose another with --root" in report.problems[0]


def test_picked_gpu_is_exported_to_the_run():
    environ = {}
    assert pick_idle_gpu(environ, FakeNvml(FakeGpu(ONE, busy=6), FakeGpu(TWO))) == TWO
    assert environ["CUDA_VISIBLE_DEVICES"] == TWO
    with pytest.raises(UserError, match="NVML is not there"):
        pick_idle_gpu(environ, NO_GPU)


def test_exit_code_follows_the_problems(tmp_path, capsys):
    (tmp_path / "results").write_text("a file")
    assert main(["--root", str(tmp_path), "--json"], NO_GPU) == 1
    assert json.loads(capsys.readouterr().out)["problems"]


@pytest.mark.parametrize("start", [["bench/preflight.py"], ["-m", "bench.preflight"]])
def test_both_forms_of_the_command_work_from_the_root(tmp_path, start):
    command = [sys.executable, *start, "--json", "--root", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert json.loads(done.stdout)["folders"]["results"] == "writable"
    assert done.returncode in (0, 1)


def test_script_form_finds_the_standard_library_first(tmp_path):
    (tmp_path / "bench").mkdir()
    head = (ROOT / "bench" / "preflight.py").read_text().split("import argparse")[0]
    (tmp_path / "bench" / "preflight.py").write_text(
        head + "import profile; print(profile.Profile)"
    )
    (tmp_path / "bench" / "profile.py").write_text("")
    command = [sys.executable, str(tmp_path / "bench" / "preflight.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "profile.Profile" in done.stdout


def test_help_documents_the_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "not ready: each problem" in capsys.readouterr().out
