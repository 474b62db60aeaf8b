# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.player import memory as memory_module
from bench.player.memory import GRANULARITY, OutOfMemory, allocate, attach
from bench.task.host import available_memory_bytes
from tests.process_state import open_descriptors


def test_both_processes_see_the_same_bytes_and_sizes_are_rounded_up() -> None:
    memory = allocate("cpu", GRANULARITY + 1)
    assert memory.size == 2 * GRANULARITY == memory.tensor.numel()
    assert memory.descriptor is not None
    mapped = attach(memory.handle, [os.dup(memory.descriptor)])
    mapped[-1] = 77
    assert int(memory.tensor[-1]) == 77
    memory.tensor[3] = 5
    assert int(mapped[3]) == 5
    memory.free()


def test_attaching_and_freeing_leave_no_descriptor() -> None:
    before = open_descriptors()
    for _ in range(5):
        memory = allocate("cpu", 1)
        assert memory.descriptor is not None
        mapped = attach(memory.handle, [os.dup(memory.descriptor)])
        del mapped
        memory.free()
    assert open_descriptors() == before


@pytest.mark.parametrize("size", [0, 10 * GRANULARITY])
def test_a_player_cannot_change_the_size_under_the_judge(size: int) -> None:
    memory = allocate("cpu", GRANULARITY)
    assert memory.descriptor is not None
    with pytest.raises(PermissionError):
        os.ftruncate(memory.descriptor, size)
    memory.free()


@pytest.mark.parametrize("size", [1 << 46, 1 << 62])
def test_more_than_there_is_is_refused_before_a_page_is_touched(size: int) -> None:
    before = open_descriptors()
    with pytest.raises(OutOfMemory, match=r"cpu: \d+ MiB"):
        allocate("cpu", size)
    assert open_descriptors() == before


def test_the_kernels_own_refusal_is_out_of_memory_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "available_memory_bytes", lambda: 1 << 63)
    with pytest.raises(OutOfMemory, match=r"cpu: \d+ MiB"):
        allocate("cpu", 1 << 60)


def test_available_memory_is_that_of_the_control_group_if_less(tmp_path: Path) -> None:
    group = tmp_path / "fs" / "cgroup"
    group.mkdir(parents=True)
    (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 800 kB\n")
    assert available_memory_bytes(tmp_path, tmp_path) == 800 * 1024
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("10\n")
    assert available_memory_bytes(tmp_path, tmp_path) == 800 * 1024
    (group / "memory.max").write_text("5000\n")
    assert available_memory_bytes(tmp_path, tmp_path) == 4990
