# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.ops import OPS
from bench.profile import _lines, main
from bench.profiling import launch, levels, times
from bench.profiling.launch import Subject
from bench.profiling.request import COLD_FACTOR, Request, ask
from bench.profiling.trace import ProfileFailure
from bench.record.results import read_results
from bench.task.config import load_config
from bench.task.device import Device
from bench.task.errors import UserError
from bench.task.side import Side
from bench.task.workload import load_workloads

ROOT = Path(__file__).resolve().parents[1]
RAW = (ROOT / "tests" / "profiling" / "ncu_raw.csv").read_text()
CONFIG = load_config(ROOT / "config.toml")
ROWS = {
    row.id: row
    for row in load_workloads(CONFIG.workloads_path, OPS, CONFIG.task.workloads_sha256).rows
}
FULL, SMALL = ROWS["ltx2_full_s8160_c4096"], ROWS["ltx2_full_s126_c2048"]
MIB = 1 << 20
GPU = Device("cuda", 0, "cuda:0", "GPU-1", "NVIDIA H200", (9, 0), 132, 60 * MIB, 140 << 30)
CPU = Device("cpu", None, "cpu", None, "cpu", None, 2, 32 * MIB, 8 << 30)
BASELINE = Side("baseline", str(ROOT / "baseline" / "{op}.py:{op}"))


def gpu_trace(calls, kernels_a_call, us):
    events = [
        {"ph": "X", "cat": "kernel", "name": "k", "ts": 100.0 * i, "dur": us, "args": {}}
        for i in range(calls * kernels_a_call)
    ]
    return {"traceEvents": events}


@pytest.fixture
def fake_ncu(tmp_path, monkeypatch):
    """A program called as ncu is: writes a log of `copies` times the recorded two kernels."""

    def install(copies, ok=True):
        log = RAW if copies else "==ERROR== ERR_NVGPUCTRPERM\n"
        lines = log.splitlines(keepends=True)
        script = tmp_path / "ncu"
        script.write_text(
            f"#!{sys.executable}\n"
            "import json, pathlib, sys\n"
            "request = json.loads(pathlib.Path(sys.argv[-1]).read_text())\n"
            "log = sys.argv[sys.argv.index('--log-file') + 1]\n"
            f"head, kernels = {''.join(lines[:6])!r}, {''.join(lines[6:])!r}\n"
            f"pathlib.Path(log).write_text(head + kernels * {copies})\n"
            "answer = pathlib.Path(request['folder']) / 'answer.jsonl'\n"
            "rows = [{'row': one['row'], 'missing': ''} for one in request['rows']]\n"
            f"if {ok}: answer.write_text(''.join(json.dumps(one) + '\\n' for one in rows))\n"
        )
        script.chmod(0o755)
        for module in (launch, times):
            monkeypatch.setattr(module, "find_instrument", lambda name: str(script))
        return str(script)

    return install


@pytest.fixture
def recorded_trace(monkeypatch):
    """torch.profiler's traces as a GPU leaves them: two kernels of 46 us a call."""

    def traces(subject, calls, folder):
        folder.mkdir(parents=True, exist_ok=True)
        return {row.id: gpu_trace(calls, 2, 46.0) for row in subject.rows}

    monkeypatch.setattr(levels, "torch_traces", traces)
    monkeypatch.setattr(times, "torch_traces", traces)


def test_level_one_on_a_cpu_records_kernels_trace_and_times(tmp_path, capsys):
    out = tmp_path / "p.jsonl"
    argv = ["--rows", SMALL.id, "--device", "cpu", "--calls", "3", "--out", str(out)]
    assert main([*argv, "--side", "baseline", "--json"]) == 0
    printed = capsys.readouterr()
    run, record, end = read_results(out)
    assert (run["command"], end["passed"]) == ("profile", True)
    assert (record["kind"], record["level"], record["workload"]) == ("profile", 1, SMALL.id)
    assert len(record["call_us"]) == 3
    assert all(us > 0 for us in record["call_us"])
    assert {"aten::mul", "aten::add"} <= {one["name"] for one in record["kernels"]}
    assert all(one["count"] == 3 for one in record["kernels"])
    trace = json.loads((tmp_path / "p" / record["trace"]).read_text())
    assert trace["traceEvents"]
    assert "aten::mul" in printed.err
    found = json.loads(printed.out)
    assert found["passed"] and found["profiles"][0]["call_us"] == record["call_us"]


@pytest.mark.parametrize(("level", "product"), [("2", "Nsight Systems"), ("3", "Nsight Compute")])
def test_level_above_one_on_a_cpu_is_refused_before_a_file_is_written(level, product, tmp_path):
    out = tmp_path / "p.jsonl"
    with pytest.raises(UserError, match=f"--level {level}: {product} needs a GPU, got cpu"):
        main(["--device", "cpu", "--level", level, "--out", str(out)])
    assert not out.exists()


def test_absent_instrument_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setattr(launch, "find_instrument", lambda name: None)
    with pytest.raises(
        UserError, match=r"nsys is neither on PATH nor in .*; install Nsight Systems"
    ):
        launch.needed_instrument("nsys", 2, GPU)


def test_ring_of_tensor_sets_is_larger_than_the_cache():
    small, full = ask([SMALL, FULL], GPU.l2_bytes)
    assert (small.slots - 1) * SMALL.bytes_moved >= COLD_FACTOR * GPU.l2_bytes
    assert small.slots == 123
    assert full.slots == 2


def test_request_is_read_back_as_it_was_written(tmp_path):
    side = Side("solution", "/s/build.py:load", "cuda", "once", ("-O3",), "/cache")
    request = Subject(side, (SMALL,), GPU).request(4, "torch", tmp_path)
    request.write(tmp_path / "request.json")
    assert Request.read(tmp_path / "request.json") == request


def test_row_that_a_side_has_not_is_recorded_as_not_implemented(tmp_path):
    (tmp_path / "side.py").write_text(
        "def load(op, **_): raise NotImplementedError(f'no {op} here')\n"
    )
    subject = Subject(Side("solution", f"{tmp_path}/side.py:load"), (SMALL,), CPU)
    (record,) = levels.profile(subject, 1, 2, tmp_path / "out")
    assert record == {"workload": SMALL.id, "status": "NOT_IMPLEMENTED"}
    assert _lines("solution once", record)[0].endswith("NOT_IMPLEMENTED")


def test_side_that_crashes_is_a_failure_with_its_words(tmp_path):
    (tmp_path / "side.py").write_text(
        "def load(op, **_): raise RuntimeError('broken on purpose')\n"
    )
    subject = Subject(Side("solution", f"{tmp_path}/side.py:load"), (SMALL,), CPU)
    with pytest.raises(ProfileFailure, match=r"solution: the profiled process[\s\S]*on purpose"):
        list(levels.profile(subject, 1, 2, tmp_path / "out"))


def test_level_three_holds_a_row_against_its_least_traffic(tmp_path, fake_ncu, recorded_trace):
    fake_ncu(copies=levels.NCU_CALLS)
    (record,) = levels.profile(Subject(BASELINE, (FULL,), GPU), 3, 4, tmp_path)
    assert record["call_us"] == pytest.approx([92.0] * 3)
    assert record["dram_bytes"] == 2 * 133694976 + 81000000
    assert record["traffic_ratio"] == record["dram_bytes"] / FULL.bytes_moved
    assert record["findings"] == []
    lines = _lines("baseline each_step", record)
    assert "1.303 of the least" in lines[0]
    assert "DRAM 78.5 %  SM 11.2 %  occupancy 88.1 %" in lines[1]
    assert "DRAM -" in lines[2]


def test_level_three_calls_a_row_that_moves_too_little_a_finding(
    tmp_path, fake_ncu, recorded_trace
):
    fake_ncu(copies=levels.NCU_CALLS)
    row = ROWS["ltx2_bcast_s32640_c4096"]  # the recorded kernels moved a third of this row's bytes
    (record,) = levels.profile(Subject(BASELINE, (row,), GPU), 3, 4, tmp_path)
    assert [one.split()[0] for one in record["findings"]] == ["read", "wrote"]
    assert "FINDING: read 267389952 bytes" in _lines("baseline", record)[-2]


def test_refused_counters_are_reported_in_the_instruments_own_words(
    tmp_path, fake_ncu, recorded_trace
):
    fake_ncu(copies=0, ok=False)
    with pytest.raises(ProfileFailure, match="run as root"):
        list(levels.profile(Subject(BASELINE, (FULL,), GPU), 3, 4, tmp_path))


def test_kernel_times_are_plain_numbers_by_both_instruments(fake_ncu, recorded_trace):
    fake_ncu(copies=3)
    (found,) = times.kernel_times([FULL], [BASELINE], GPU, calls=4, ncu_calls=3)
    assert (found.workload, found.side) == (FULL.id, "baseline")
    assert found.torch_profiler_us == (92.0,) * 4
    assert found.ncu_us == pytest.approx((92.0,) * 3)


def test_kernel_times_without_nsight_compute_say_so(monkeypatch, recorded_trace):
    monkeypatch.setattr(times, "find_instrument", lambda name: None)
    (found,) = times.kernel_times([FULL], [BASELINE], GPU, calls=4)
    assert found.ncu_us is None


def test_kernel_times_need_a_gpu():
    with pytest.raises(UserError, match="need a GPU, got cpu"):
        times.kernel_times([FULL], [BASELINE], CPU)
