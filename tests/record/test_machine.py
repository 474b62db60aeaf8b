# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from bench.record.machine import EVENT_REASONS, MachineProbe
from bench.task.device import resolve_device
from tests.fake_gpu import ONE, TWO, FakeCuda, FakeGpu, FakeNvml

GPU = resolve_device(None, environ={}, cuda=FakeCuda(ONE))
CPU = resolve_device("cpu", environ={})


def probe(gpu, **more):
    return MachineProbe(GPU, FakeNvml(FakeGpu(TWO, used_mib=9999), gpu, **more))


def test_gpu_state_is_that_of_the_chosen_gpu():
    state = probe(FakeGpu(used_mib=77, busy=3, reasons=0x1)).read()
    assert (state.sm_clock_mhz, state.memory_clock_mhz) == (1980, 3201)
    assert (state.temperature_c, state.power_w) == (41, 123.456)
    assert (state.memory_used_mib, state.utilisation_percent) == (77, 3)
    assert state.clock_event_reasons == ("gpu_idle",)
    assert state.cpu_mhz is None
    assert not state.throttled


@pytest.mark.parametrize(
    ("bits", "throttled"),
    [
        (0x0, False),
        (0x1, False),
        (0x2, False),
        (0x10, False),
        (0x100, False),
        (0x4, True),
        (0x8, True),
        (0x20, True),
        (0x40, True),
        (0x80, True),
        (0x1 | 0x4, True),
    ],
)
def test_throttled_means_speed_taken_away(bits, throttled):
    state = probe(FakeGpu(reasons=bits)).read()
    assert state.throttled is throttled
    assert state.clock_event_reasons == tuple(EVENT_REASONS[b] for b in EVENT_REASONS if b & bits)


def test_old_driver_is_asked_by_the_old_name():
    gpu = FakeGpu(reasons=0x4)
    state = probe(gpu, unsupported=["nvmlDeviceGetCurrentClocksEventReasons"]).read()
    assert state.throttle_reasons == ("sw_power_cap",)


def test_what_the_driver_does_not_say_is_null():
    unsupported = [
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetComputeRunningProcesses",
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
    ]
    state = probe(FakeGpu(), unsupported=unsupported).read({1})
    assert (state.power_w, state.foreign_pids, state.foreign_count) == (None, None, None)
    assert state.clock_event_reasons is None
    assert not state.throttled
    assert state.sm_clock_mhz == 1980


@pytest.mark.parametrize(
    ("before", "now", "own", "foreign", "count"),
    [
        ((), (10, 11), {10, 11}, (), 0),
        ((), (10, 11, 99), {10, 11}, (99,), 1),
        ((99,), (10, 99), {10, 11}, (99,), 1),
        ((), (99,), set(), (99,), 1),
        ((), (), set(), (), 0),
        # ours hold the GPU and none is listed: the list is of another namespace
        ((), (501, 502), {10, 11}, (), 0),
        ((), (501, 502, 503), {10, 11}, (), 1),
        ((499,), (499, 501, 502), {10, 11}, (499,), 1),
        ((499,), (501, 502, 503), {10, 11}, (), 1),
        ((), (501,), {10, 11}, (), 0),
        # nothing is listed though ours hold the GPU: this machine does not show processes
        ((), (), {10}, None, None),
    ],
)
def test_foreign_processes(before, now, own, foreign, count):
    gpu = FakeGpu(pids=before)
    watched = probe(gpu)
    gpu.pids = now
    state = watched.read(own)
    assert (state.foreign_pids, state.foreign_count) == (foreign, count)
    assert state.contended is (bool(count) or state.host_load_1m > state.host_cores + 1)


def test_foreign_process_and_crowded_host_are_contention():
    quiet = replace(probe(FakeGpu()).read(), host_load_1m=3.0, host_cores=2)
    assert not quiet.contended
    crowded = replace(quiet, host_load_1m=3.1, foreign_count=2)
    assert crowded.contention_reasons == (
        "2 foreign process(es) on the GPU",
        "host load 3.1 on 2 cores",
    )


def test_machine_without_nvml_is_a_plain_statement():
    watched = MachineProbe(GPU, FakeNvml(missing=True))
    assert watched.missing == "NVML is not there: NVML Shared Library Not Found"
    state = watched.read({1})
    assert (state.sm_clock_mhz, state.foreign_count) == (None, None)
    assert state.host_load_1m is not None


def test_gpu_that_nvml_does_not_list_is_a_plain_statement():
    watched = MachineProbe(GPU, FakeNvml(FakeGpu(TWO)))
    assert watched.missing == f"NVML does not know {ONE}"
    assert watched.read().sm_clock_mhz is None


def test_cpu_state_has_load_and_clock_only():
    watched = MachineProbe(CPU)
    state = watched.read()
    assert watched.missing is None
    assert state.host_cores == os.cpu_count()
    assert state.host_load_1m is not None
    assert (state.sm_clock_mhz, state.foreign_pids, state.clock_event_reasons) == (None, None, None)


def test_state_is_storable_with_its_verdicts():
    record = probe(FakeGpu(pids=(5,), reasons=0x4)).read().to_record()
    assert json.loads(json.dumps(record))["throttled"] == ["sw_power_cap"]
    assert record["contended"][0] == "1 foreign process(es) on the GPU"


def test_reading_asks_for_the_handle_once():
    nvml = FakeNvml(FakeGpu())
    watched = MachineProbe(GPU, nvml)
    nvml.calls.clear()
    watched.read()
    watched.read()
    # nine questions a reading keep it well below a millisecond
    assert len(nvml.calls) <= 18
    assert "nvmlDeviceGetHandleByUUID" not in nvml.calls
