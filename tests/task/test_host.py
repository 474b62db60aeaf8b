# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.task import host

CPUINFO = "processor\t: 0\nmodel name\t: A Processor\ncpu MHz\t\t: 2445.432\n\nprocessor\t: 1\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    (tmp_path / "loadavg").write_text("1.25 0.50 0.10 2/345 6789\n")
    (tmp_path / "meminfo").write_text("MemTotal:        1000 kB\nMemFree: 1 kB\n")
    for number, size in enumerate(["32K", "512K", "32M"]):
        folder = tmp_path / f"devices/system/cpu/cpu0/cache/index{number}"
        folder.mkdir(parents=True)
        (folder / "size").write_text(size + "\n")
    (tmp_path / "fs/cgroup").mkdir(parents=True)
    return tmp_path


def test_processor_memory_and_load_are_read(root):
    assert host.cpu_model(root) == "A Processor"
    assert host.cpu_mhz(root) == 2445.432
    assert host.load_1m(root) == 1.25
    assert host.memory_bytes(root, root) == 1_024_000
    assert host.last_cache_bytes(root) == 32 << 20


def test_control_group_limits_the_memory(root):
    (root / "fs/cgroup/memory.max").write_text("4096\n")
    assert host.memory_bytes(root, root) == 4096
    (root / "fs/cgroup/memory.max").write_text("max\n")
    assert host.memory_bytes(root, root) == 1_024_000


def test_host_that_says_nothing_is_no_crash(tmp_path):
    assert host.cpu_model(tmp_path)
    assert host.cpu_mhz(tmp_path) is None
    assert host.load_1m(tmp_path) is None
    assert host.memory_bytes(tmp_path, tmp_path) == 0
    assert host.last_cache_bytes(tmp_path) == 0
