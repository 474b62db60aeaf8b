# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time

import pytest

IN_A_PROCESS = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("competitor_build", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
built = module.build("broadcast_add_4d", language="cpu", rounding="once", architecture=None,
                     flags=("-O0",), cache=Path(sys.argv[2]))
print(built.cached, built.path)
"""


def test_two_processes_that_build_the_same_compile_it_once(builder):
    command = [sys.executable, "-c", IN_A_PROCESS, builder.folder / "build.py", builder.cache]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(process.communicate()[0].split() for process in running)
    assert [process.returncode for process in running] == [0, 0]
    assert [cached for cached, _ in said] == ["False", "True"]
    assert said[0][1] == said[1][1]


def test_a_lock_that_is_not_freed_in_time_names_its_holder(builder):
    built = builder.build()
    built.path.unlink()
    lock = built.path.with_suffix(".lock")
    assert f"process {os.getpid()} on " in lock.read_text()
    builder.lock_timeout(0.3)
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        lock.write_text("process 4711 on elsewhere: bench/benchmark.py")
        with pytest.raises(builder.Error, match=r"waited 0\.3 s .*process 4711 on elsewhere.*run"):
            builder.build()
    assert builder.build().path.exists()  # and works again once it is free


def test_a_process_killed_while_it_builds_leaves_no_lock_and_no_half_library(builder, tmp_path):
    slow = tmp_path / "slow-g++"
    slow.write_text('#!/bin/sh\n[ "$1" = --version ] && exit; echo half > broadcast_add_4d.so; '
                    f"touch {tmp_path}/started; exec sleep 60\n")  # fmt: skip
    slow.chmod(0o755)
    command = [sys.executable, "-c", IN_A_PROCESS, builder.folder / "build.py", builder.cache]
    process = subprocess.Popen(
        command, env={**os.environ, "CXX": str(slow)}, start_new_session=True
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, 9)
    process.wait()
    assert not list(builder.cache.glob("*.so"))
    builder.lock_timeout(1)
    assert builder.build().path.stat().st_size > 1000
