# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.judge.checker import Check
from bench.judge.library_calls import check_library_calls
from bench.ops import OPS
from bench.profiling import census as census_module
from bench.profiling.census import Build
from bench.profiling.launch import Subject
from bench.profiling.target import mapped_below
from bench.profiling.trace import ProfileFailure
from bench.record.status import Status
from bench.task.config import load_config
from bench.task.device import Device
from bench.task.side import Side
from bench.task.workload import load_workloads

ROOT = Path(__file__).resolve().parents[2]
CONFIG = load_config(ROOT / "config.toml")
ROWS = load_workloads(CONFIG.workloads_path, OPS, CONFIG.task.workloads_sha256).rows
ROW = ROWS[0]
GPU = Device("cuda", 0, "cuda:0", "GPU-1", "NVIDIA H200", (9, 0), 132, 60 << 20, 140 << 30)
OWN = "void (anonymous namespace)::scale<float>(float*, int)"
EAGER = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)"
SOURCE = """
namespace at { namespace native { void declared_elsewhere(int); } }
namespace {
template <typename T> __attribute__((noinline, used)) void scale(T* x, int n) { x[n] *= 2; }
}
extern "C" void plain_scale(float* x) { scale(x, 1); at::native::declared_elsewhere(2); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    (folder / "op.cc").write_text(SOURCE)
    command = ["g++", "-shared", "-fPIC", "-O1", "-o", "op.so", "op.cc"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "op.so"


@pytest.mark.parametrize(
    ("kernel", "own"),
    [
        (OWN, True),
        ("void (anonymous namespace)::scale<double>(double*, int)", False),
        ("plain_scale", True),
        ("plain_scal", False),
        (EAGER, False),
        ("Memcpy DtoD (Device -> Device)", False),
        ("compiled_when_called", True),
        ("also_compiled", True),
        ("helper_on_the_host", False),
    ],
)
def test_a_kernel_is_own_by_its_whole_name(
    kernel: str, own: bool, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "op.py").write_text(
        "@triton.jit\ndef compiled_when_called(x): pass\n"
        "@triton.autotune(configs=[])\n@triton.jit\ndef also_compiled(x): pass\n"
        "@functools.cache\ndef helper_on_the_host(x): pass\n"
    )
    assert Build([library], tmp_path).has(kernel) is own


def test_what_a_process_mapped_is_found_below_the_cache_only(tmp_path: Path) -> None:
    plain = tmp_path / "plain.so"
    (tmp_path / "plain.c").write_text("int one(void) { return 1; }")
    subprocess.run(["g++", "-shared", "-o", plain, tmp_path / "plain.c"], check=True)
    assert mapped_below(str(tmp_path)) == []
    ctypes.CDLL(str(plain))
    assert mapped_below(str(tmp_path)) == [str(plain)]
    assert mapped_below(str(tmp_path / "other")) == mapped_below("") == []


def emitted(
    policy: str, kernels: list[str] | None, library: Path, monkeypatch: pytest.MonkeyPatch
) -> Check:
    """The check of one row whose call launched these kernels; None where the process failed."""

    def traces(subject: Subject, calls: int, folder: Path) -> dict[str, Mapping[str, Any]]:
        if kernels is None:
            raise ProfileFailure("the profiled process gave no answer")
        answer = {"row": ROW.id, "missing": "", "libraries": [str(library)]}
        (folder / "answer.jsonl").write_text(json.dumps(answer) + "\n")
        events = [
            {"ph": "X", "cat": "kernel", "name": name, "ts": float(at), "dur": 1.0}
            for at, name in enumerate(kernels)
        ]
        return {ROW.id: {"traceEvents": events}}

    monkeypatch.setattr(census_module, "torch_traces", traces)
    found: list[Check] = []
    side = Side("solution", f"{library.parent}/build.py:load", "cuda", "once", (), "/cache")
    check_library_calls(found.append, side, [ROW], GPU, policy)
    (check,) = found
    assert (check.workload, check.side, check.rounding) == (ROW.id, "solution", "once")
    return check


@pytest.mark.parametrize(
    ("policy", "kernels", "status", "text"),
    [
        ("refuse", [OWN, OWN], Status.PASSED, f"own kernels: {OWN}"),
        ("refuse", [OWN, EAGER], Status.NOT_IMPLEMENTED, f"not of the solution's build: {EAGER}"),
        ("report", [OWN, EAGER], Status.PASSED, f"not of the solution's build: {EAGER}"),
        ("refuse", [], Status.NOT_IMPLEMENTED, "launched nothing on the device"),
        ("report", [], Status.PASSED, "launched nothing on the device"),
        ("report", None, Status.NOT_RUN, "the profiled process gave no answer"),
    ],
)
def test_a_call_that_leaves_its_work_to_a_library_is_named_or_refused(
    policy: str,
    kernels: list[str] | None,
    status: Status,
    text: str,
    library: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finding = emitted(policy, kernels, library, monkeypatch).finding
    assert (finding.status, finding.text) == (status, text)


def test_the_profiled_process_names_the_build_that_it_loaded(tmp_path: Path) -> None:
    cpu = Device("cpu", None, "cpu", None, "cpu", None, 2, 1 << 20, 8 << 30)
    small = next(row for row in ROWS if row.id == "ltx2_full_s126_c2048")
    cache = ROOT / ".cache" / "solution"
    flags = CONFIG.solution.flags.cpu
    side = Side("solution", f"{ROOT}/solution/build.py:load", "cpu", "each_step", flags, str(cache))
    census_module.torch_traces(Subject(side, (small,), cpu), 1, tmp_path)
    (answer,) = [json.loads(one) for one in (tmp_path / "answer.jsonl").read_text().splitlines()]
    (name,) = {Path(one).name for one in answer["libraries"]}
    assert name.startswith("residual_gate_add-cpu-each_step-")
