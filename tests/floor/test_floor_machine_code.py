# SPDX-License-Identifier: Apache-2.0
"""What the compiler makes of the CUDA floor, without a GPU."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from bench.floor import entry
from bench.ops import OPS
from bench.record.toolchain import find_nvcc

PACKAGES = Path(sysconfig.get_path("purelib")) / "nvidia"
TOOLS = os.pathsep.join([*os.get_exec_path(), *(str(one) for one in PACKAGES.glob("cu*/bin"))])
CUOBJDUMP = shutil.which("cuobjdump", path=TOOLS)
pytestmark = pytest.mark.skipif(
    not (find_nvcc() and CUOBJDUMP), reason="needs nvcc and cuobjdump (pip install nvidia-cuda-*)"
)
LOADS = {"sm_80": "LDG.E.128", "sm_90": "LDG.E.128", "sm_100": "LDG.E.ENL2.256"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("floor")


def dump(library, option):
    environ = {**os.environ, "PATH": TOOLS}
    command = [CUOBJDUMP, option, str(library)]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("architecture", LOADS)
def test_stream_kernel_moves_whole_vectors_with_all_loads_before_the_store(architecture, op, cache):
    library = entry.build(op, architecture, cache)
    block = dump(library, "-sass").split("stream_kernel", 1)[1].split("Function :", 1)[0]
    moves = re.findall(r"\b((?:LDG|STG|LDL|STL|CALL|ACQBULK)[.\w]*)", block)
    wait = [] if architecture == "sm_80" else ["ACQBULK"]
    store = LOADS[architecture].replace("LDG", "STG")
    loads, stores = [LOADS[architecture]] * len(OPS[op].inputs), [store] * len(OPS[op].outputs)
    assert moves == [*wait, *loads, *stores]


@pytest.mark.parametrize("architecture", LOADS)
def test_stream_kernel_has_no_stack_and_fills_the_multiprocessor(architecture, cache):
    usage = dump(entry.build("residual_gate_add", architecture, cache), "-res-usage")
    found = re.search(r"stream_kernel\S*:\s+REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)", usage)
    registers, stack, local = map(int, found.groups())
    assert (stack, local) == (0, 0)
    assert registers <= 32  # 2,048 threads on a multiprocessor of 65,536 registers


@pytest.mark.parametrize("architecture", LOADS)
def test_late_copy_lets_the_next_grid_start_before_it_waits_and_writes(architecture, cache):
    code = dump(entry.build_producer(architecture, cache), "-sass")
    order = re.findall(r"\b(PREEXIT|STG)\b", code)
    assert order[0] == ("STG" if architecture == "sm_80" else "PREEXIT")
    assert "STG" in order
    clock = code.index("GLOBALTIMER")
    assert clock < code.index("STG")
    assert architecture == "sm_80" or code.index("PREEXIT") < clock
