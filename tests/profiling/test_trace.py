# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.profiling.request import CALL
from bench.profiling.trace import OWN_CODE, ProfileFailure, call_times, kernels, ranking


def event(cat, name, ts, dur, tid=7, **args):
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "tid": tid, "args": args}


def kernel(name, ts, dur):
    shape = {"grid": [4080, 1, 1], "block": [128, 1, 1], "registers per thread": 32}
    return event("kernel", name, ts, dur, **shape)


GPU = {
    "traceEvents": [
        {"ph": "M", "name": "process_name", "args": {"name": "python"}},
        event("user_annotation", CALL, 0.0, 30.0),
        event("cpu_op", "aten::mul", 1.0, 9.0),
        event("cuda_runtime", "cudaLaunchKernel", 2.0, 4.0),
        kernel("add", 170.5, 41.0),
        kernel("mul", 20.25, 60.0),
        kernel("add", 90.0, 40.0),
        kernel("mul", 130.0, 39.5),
        event("gpu_user_annotation", CALL, 20.25, 109.75),
    ]
}
CPU = {
    "traceEvents": [
        event("user_annotation", CALL, 200.0, 50.0),
        event("cpu_op", "aten::add", 210.0, 10.0),
        event("user_annotation", CALL, 100.0, 80.0),
        event("cpu_op", "aten::mul", 110.0, 30.0),
        event("cpu_op", "aten::resize_", 115.0, 5.0),
        event("cpu_op", "aten::normal_", 0.0, 70.0),
        event("cpu_op", "aten::other_thread", 110.0, 30.0, tid=8),
        event("Trace", "PyTorch Profiler (0)", 0.0, 500.0),
    ]
}


def test_kernels_come_in_the_order_of_the_device():
    found = kernels(GPU)
    assert [one.name for one in found] == ["mul", "add", "mul", "add"]
    assert (found[0].grid, found[0].block, found[0].registers) == ((4080, 1, 1), (128, 1, 1), 32)


def test_call_on_a_gpu_takes_what_its_kernels_take():
    assert call_times(GPU, 2, "cuda") == [100.0, 80.5]


def test_calls_that_do_not_launch_alike_are_refused():
    with pytest.raises(ProfileFailure, match="same number in each of 3 calls, got 4"):
        call_times(GPU, 3, "cuda")


def test_call_that_launches_nothing_is_refused():
    with pytest.raises(ProfileFailure, match="got 0"):
        call_times({"traceEvents": []}, 3, "cuda")


def test_kernels_are_ranked_by_their_time():
    first, second = ranking(GPU, "cuda")
    assert (first.name, first.count, first.total_us) == ("mul", 2, 99.5)
    assert (second.name, second.count, second.total_us) == ("add", 2, 81.0)
    assert first.share + second.share == pytest.approx(1.0)
    assert first.share == pytest.approx(99.5 / 180.5)


def test_call_on_a_cpu_takes_as_long_as_its_range():
    assert call_times(CPU, 2, "cpu") == [80.0, 50.0]
    with pytest.raises(ProfileFailure, match="expected 3 ranges"):
        call_times(CPU, 3, "cpu")


def test_host_time_is_each_operators_own_and_only_of_our_calls():
    found = {one.name: one.total_us for one in ranking(CPU, "cpu")}
    assert found == {OWN_CODE: 90.0, "aten::mul": 25.0, "aten::add": 10.0, "aten::resize_": 5.0}


def test_file_that_is_no_trace_is_refused():
    with pytest.raises(ProfileFailure, match="expected a chrome trace"):
        kernels({"events": []})
