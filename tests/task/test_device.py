# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bench.task.device import hold, make_current, resolve_device
from bench.task.errors import UserError
from tests.fake_gpu import ONE, TWO, FakeCuda, FakeGpu, FakeNvml

PINNED = {"KDA_REQUIRE_PINNED_GPU": "1", "REMOTE_GPU_ID": ONE}


def resolve(requested=None, environ=None, nvml=None, cuda=None, **more):
    environ = {} if environ is None else environ
    cuda = FakeCuda() if cuda is None else cuda
    nvml = nvml or FakeNvml(missing=True)
    return resolve_device(
        requested, environ=environ, nvml=nvml, cuda=cuda, **{"settle_s": 0.0, **more}
    )


def test_first_gpu_is_chosen_where_there_is_one():
    device = resolve(cuda=FakeCuda(TWO, ONE))
    assert (device.type, device.index, device.torch_device) == ("cuda", 0, "cuda:0")
    assert device.uuid == TWO
    assert (device.compute_capability, device.architecture) == ((9, 0), "sm_90")
    assert (device.sm_count, device.l2_bytes, device.total_memory) == (132, 60 << 20, 139 << 30)
    assert not device.pinned


def test_cpu_is_chosen_where_there_is_no_gpu():
    device = resolve()
    assert (device.type, device.torch_device, device.index, device.uuid) == (
        "cpu",
        "cpu",
        None,
        None,
    )
    assert device.architecture is None
    assert device.sm_count == len(os.sched_getaffinity(0))
    assert device.total_memory > 1 << 20


def test_requested_gpu_is_described_not_the_first():
    device = resolve("cuda:1", cuda=FakeCuda(ONE, TWO))
    assert (device.uuid, device.torch_device) == (TWO, "cuda:1")


def test_requested_cpu_is_taken_beside_a_gpu():
    assert resolve("cpu", cuda=FakeCuda(ONE)).type == "cpu"


def test_cuda_without_a_gpu_says_the_way_out():
    with pytest.raises(UserError, match=r"cuda asked for, but torch sees no CUDA GPU; use cpu"):
        resolve("cuda")


def test_gpu_number_out_of_range_names_the_range():
    with pytest.raises(UserError, match=r"cuda:0 to cuda:1 \(2 GPUs visible\), got cuda:2"):
        resolve("cuda:2", cuda=FakeCuda(ONE, TWO))


@pytest.mark.parametrize("requested", ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0", "cuda:²"])
def test_other_words_are_refused(requested):
    with pytest.raises(UserError, match="expected cpu, cuda or cuda:<number>"):
        resolve(requested, cuda=FakeCuda(ONE))


def test_gpu_that_cannot_be_used_is_one_sentence():
    cuda = FakeCuda(ONE, broken="CUDA driver too old\nand a page more")
    with pytest.raises(UserError, match=r"cuda:0 cannot be used: CUDA driver too old; try cpu"):
        resolve(cuda=cuda)


@pytest.mark.parametrize("named", [ONE, ONE.removeprefix("GPU-"), "GPU-1111", ONE.upper(), "1"])
def test_pinned_gpu_is_found_by_index_or_uuid(named):
    # NVML's second GPU is the only one CUDA sees, as its cuda:0
    nvml = FakeNvml(FakeGpu(TWO, busy=100), FakeGpu(ONE))
    device = resolve(environ={**PINNED, "REMOTE_GPU_ID": named}, nvml=nvml, cuda=FakeCuda(ONE))
    assert (device.uuid, device.index, device.pinned) == (ONE, 0, True)


@pytest.mark.parametrize(
    ("visible", "seen"), [((TWO,), TWO), ((ONE, TWO), f"{ONE}, {TWO}"), ((), "none")]
)
def test_pinned_gpu_must_be_the_only_visible_one(visible, seen):
    nvml = FakeNvml(FakeGpu(ONE), FakeGpu(TWO))
    with pytest.raises(UserError, match=f"got {seen}; export CUDA_VISIBLE_DEVICES={ONE}"):
        resolve(environ=PINNED, nvml=nvml, cuda=FakeCuda(*visible))


@pytest.mark.parametrize("named", ["7", "GPU-9", "GPU-", "nonsense"])
def test_unknown_pinned_gpu_lists_those_there(named):
    with pytest.raises(UserError, match=f"one GPU of 0={ONE}, {named} names no GPU; run python"):
        resolve(
            environ={**PINNED, "REMOTE_GPU_ID": named},
            nvml=FakeNvml(FakeGpu(ONE)),
            cuda=FakeCuda(ONE),
        )


def test_beginning_that_names_two_gpus_is_refused():
    nvml = FakeNvml(FakeGpu(ONE), FakeGpu(ONE[:-1] + "6"))
    with pytest.raises(UserError, match="names several GPUs"):
        resolve(environ={**PINNED, "REMOTE_GPU_ID": ONE[:12]}, nvml=nvml, cuda=FakeCuda(ONE))


def test_pinning_without_a_name_says_what_to_export():
    environ = {"KDA_REQUIRE_PINNED_GPU": "1"}
    with pytest.raises(UserError, match=r"REMOTE_GPU_ID: .*export what it prints"):
        resolve(environ=environ, nvml=FakeNvml(FakeGpu(ONE)), cuda=FakeCuda(ONE))


@pytest.mark.parametrize("requested", ["cpu", "cuda:1"])
def test_pinning_refuses_any_device_but_the_only_one(requested):
    with pytest.raises(UserError, match=f"in a pinned run, got {requested}"):
        resolve(requested, PINNED, FakeNvml(FakeGpu(ONE)), FakeCuda(ONE, TWO))


def test_pinning_without_nvml_fails_closed():
    with pytest.raises(UserError, match="needs NVML to see an idle GPU, but NVML is not there"):
        resolve(environ=PINNED, cuda=FakeCuda(ONE))


def test_half_set_pinning_is_refused():
    with pytest.raises(UserError, match="expected 1, 0 or nothing, got 'yes'"):
        resolve(environ={"KDA_REQUIRE_PINNED_GPU": "yes"}, cuda=FakeCuda(ONE))


@pytest.mark.parametrize(
    ("gpu", "reason"),
    [
        (FakeGpu(pids=(4711,)), "processes 4711"),
        (FakeGpu(used_mib=33), r"33 MiB used \(idle is at most 32\)"),
        (FakeGpu(busy=6), r"6 % busy \(idle is at most 5\)"),
    ],
)
def test_busy_gpu_is_refused_when_pinned(gpu, reason):
    with pytest.raises(UserError, match=f"expected an idle GPU in a pinned run, got {reason}"):
        resolve(environ=PINNED, nvml=FakeNvml(gpu), cuda=FakeCuda(ONE))


def test_idle_limits_and_own_process_do_not_count_as_busy():
    gpu = FakeGpu(pids=(os.getpid(),), used_mib=32, busy=5)
    assert resolve(environ=PINNED, nvml=FakeNvml(gpu), cuda=FakeCuda(ONE)).pinned


@pytest.mark.parametrize(
    "unsupported",
    [
        "nvmlDeviceGetComputeRunningProcesses",
        "nvmlDeviceGetMemoryInfo",
        "nvmlDeviceGetUtilizationRates",
    ],
)
def test_gpu_whose_state_is_unreadable_is_not_idle(unsupported):
    nvml = FakeNvml(FakeGpu(), unsupported=[unsupported])
    with pytest.raises(UserError, match="unreadable"):
        resolve(environ=PINNED, nvml=nvml, cuda=FakeCuda(ONE))


def test_pinned_run_waits_for_what_a_run_before_left():
    class Cooling(FakeGpu):
        reads = 0

        @property
        def busy(self):
            self.reads += 1
            return 80 if self.reads < 3 else 0

        @busy.setter
        def busy(self, value):
            pass

    gpu = Cooling()
    assert resolve(environ=PINNED, nvml=FakeNvml(gpu), cuda=FakeCuda(ONE), settle_s=5.0).pinned
    assert gpu.reads == 3


def test_idle_gpu_is_picked_and_exported():
    environ = {}
    nvml = FakeNvml(FakeGpu(ONE, busy=90), FakeGpu(TWO))
    device = resolve(environ=environ, nvml=nvml, cuda=FakeCuda(TWO), pick_idle=True)
    assert (device.uuid, device.pinned) == (TWO, True)
    assert environ == {
        "CUDA_VISIBLE_DEVICES": TWO,
        "REMOTE_GPU_ID": TWO,
        "KDA_REQUIRE_PINNED_GPU": "1",
    }


def test_pick_is_refused_when_cuda_already_sees_another():
    nvml = FakeNvml(FakeGpu(ONE, busy=90), FakeGpu(TWO))
    with pytest.raises(UserError, match=f"got {ONE}"):
        resolve(nvml=nvml, cuda=FakeCuda(ONE), pick_idle=True)


def test_pick_keeps_to_the_visible_gpus():
    nvml = FakeNvml(FakeGpu(ONE), FakeGpu(TWO))
    environ = {"CUDA_VISIBLE_DEVICES": "GPU-aaaa"}
    assert resolve(environ=environ, nvml=nvml, cuda=FakeCuda(TWO), pick_idle=True).uuid == TWO


def test_pick_refuses_numbers_that_only_cuda_can_read():
    nvml = FakeNvml(FakeGpu(ONE), FakeGpu(TWO))
    environ = {"CUDA_VISIBLE_DEVICES": "1"}
    with pytest.raises(UserError, match="expected UUIDs when an idle GPU"):
        resolve(environ=environ, nvml=nvml, cuda=FakeCuda(TWO), pick_idle=True)
    environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    assert resolve(environ=environ, nvml=nvml, cuda=FakeCuda(TWO), pick_idle=True).uuid == TWO


@pytest.mark.parametrize(
    ("nvml", "message"),
    [
        (FakeNvml(FakeGpu(busy=50)), f"no idle GPU to pick: {ONE}: 50 % busy"),
        (FakeNvml(), "this host has none"),
        (FakeNvml(missing=True), "NVML is not there"),
    ],
)
def test_pick_without_an_idle_gpu_says_why(nvml, message):
    with pytest.raises(UserError, match=message):
        resolve(nvml=nvml, cuda=FakeCuda(ONE), pick_idle=True)


def test_chosen_gpu_is_made_current_and_cpu_is_left_alone():
    cuda = FakeCuda(ONE, TWO)
    make_current(resolve("cuda:1", cuda=cuda), cuda)
    assert cuda.current == 1
    make_current(resolve("cpu"), cuda)
    assert cuda.current == 1


HOLDER = """
import sys
from pathlib import Path
from bench.task.device_lock import hold_gpu
with hold_gpu(sys.argv[1], Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_second_judge_is_told_who_holds_the_gpu(tmp_path):
    device = resolve(cuda=FakeCuda(ONE))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, ONE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        refused = pytest.raises(UserError, match=f"another judge, process {holder.pid};")
        with refused, hold(device, tmp_path):
            pass
        with hold(replace(device, uuid=TWO), tmp_path):
            pass
    finally:
        holder.communicate(b"")
    with hold(device, tmp_path):
        pass


def test_unusable_lock_folder_is_one_sentence(tmp_path):
    (tmp_path / "locks").write_text("")
    refused = pytest.raises(UserError, match="expected a writable lock file")
    with refused, hold(resolve(cuda=FakeCuda(ONE)), tmp_path / "locks"):
        pass


def test_lock_that_is_a_link_is_not_followed(tmp_path):
    target = tmp_path / "target"
    (tmp_path / f"{ONE}.lock").symlink_to(target)
    refused = pytest.raises(UserError, match="expected a writable lock file")
    with refused, hold(resolve(cuda=FakeCuda(ONE)), tmp_path):
        pass
    assert not target.exists()


def test_cpu_is_not_held(tmp_path):
    with hold(resolve("cpu"), tmp_path), hold(resolve("cpu"), tmp_path):
        assert list(tmp_path.iterdir()) == []
