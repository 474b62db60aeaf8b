# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cuda_tools import ARCHITECTURES, EVERY_ARCHITECTURE, disassemble, find_tool

from solution import build as solution_build

OPS = sorted(path.stem for path in (solution_build.FOLDER / "cuda").glob("*.cu"))
INPUTS = {"residual_gate_add": 3, "broadcast_add_4d": 2, "silu_mul": 2}
KEEPS_ROWS = "normalize"  # in the name of kernels that hold a row in registers


pytestmark = pytest.mark.skipif(
    not (shutil.which("nvcc") or Path("/usr/local/cuda/bin/nvcc").exists()),
    reason="no nvcc on PATH or in /usr/local/cuda: the .cu files cannot be compiled here",
)
reads_machine_code = pytest.mark.skipif(
    not (find_tool("cuobjdump") and find_tool("nvdisasm")),
    reason="no cuobjdump and nvdisasm; pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm",
)


@pytest.fixture(scope="session")
def cuda_library(build_cache):
    """library(op, rounding): one library for all architectures, which costs less than three."""

    def library(op, rounding):
        return solution_build.build(
            op, language="cuda", rounding=rounding, cache=build_cache, **EVERY_ARCHITECTURE
        ).path

    return library


@pytest.fixture(scope="session")
def kernels(cuda_library):
    read = {}

    def of(op, rounding, architecture):
        if (op, rounding) not in read:
            library = cuda_library(op, rounding)
            with ThreadPoolExecutor() as pool:
                found = pool.map(functools.partial(disassemble, library), ARCHITECTURES)
                read[op, rounding] = dict(zip(ARCHITECTURES, found, strict=True))
        return read[op, rounding][architecture]

    return of


EVERY_BUILD = [
    pytest.mark.parametrize("architecture", ARCHITECTURES),
    pytest.mark.parametrize("rounding", ["once", "each_step"]),
    pytest.mark.parametrize("op", OPS),
]


def every_build(test):
    for mark in EVERY_BUILD:
        test = mark(test)
    return test


@pytest.mark.parametrize("rounding", ["once", "each_step"])
@pytest.mark.parametrize("op", OPS)
def test_each_op_compiles_for_every_architecture_without_a_warning(op, rounding, cuda_library):
    assert cuda_library(op, rounding).stat().st_size > 0


@reads_machine_code
@every_build
def test_no_kernel_spills_uses_local_memory_or_calls(op, rounding, architecture, kernels):
    found = kernels(op, rounding, architecture)
    assert len(found) >= 6  # a vector and a scalar kernel for each of three dtypes
    for kernel in found:
        assert (kernel.stack, kernel.local) == (0, 0), kernel.name
        for opcode in ("LDL", "STL", "CALL"):
            assert not kernel.all_of(opcode), f"{kernel.name}: {opcode}"


@reads_machine_code
@every_build
def test_registers_leave_enough_bytes_in_flight(op, rounding, architecture, kernels):
    # 65,536 registers: 2,048 threads with 16-byte vectors, or half as many with 32-byte ones
    for kernel in kernels(op, rounding, architecture):
        most = 64 if kernel.vector_bytes == 32 or KEEPS_ROWS in kernel.name else 32
        assert kernel.registers <= most, kernel.name


@reads_machine_code
@every_build
def test_vector_kernels_load_and_store_at_their_full_width(op, rounding, architecture, kernels):
    widest = {"sm_100": 32}.get(architecture, 16)
    for width in {16, widest}:
        found = [k for k in kernels(op, rounding, architecture) if k.vector_bytes == width]
        if op not in INPUTS and width == 32:
            assert not found  # a row in registers has no room for them
            continue
        assert {dtype for k in found for dtype in ("bfloat16", "half", "VecIf") if dtype in k.name}
        for kernel in found:
            wide = f".{8 * width}"
            loads, stores = kernel.all_of("LDG"), kernel.all_of("STG")
            if KEEPS_ROWS in kernel.name:  # so many a thread, and single values of a token
                assert any(wide in one for one in loads), kernel.name
                assert all(wide in one for one in stores), kernel.name
                continue
            assert sum(wide in one for one in loads) == INPUTS[op], kernel.name
            assert sum(wide in one for one in stores) == 1, kernel.name
            if "_row" in kernel.name:  # a flat kernel has a scalar tail, a row kernel has none
                assert all(wide in one for one in loads + stores), kernel.name


@reads_machine_code
@every_build
def test_kernels_wait_for_the_previous_grid_before_any_load(op, rounding, architecture, kernels):
    for kernel in kernels(op, rounding, architecture):
        waits = [i for i, one in enumerate(kernel.opcodes) if one.startswith("ACQBULK")]
        releases = [i for i, one in enumerate(kernel.opcodes) if one.startswith("PREEXIT")]
        if architecture == "sm_80":
            assert not waits and not releases
            continue
        memory = [i for i, one in enumerate(kernel.opcodes) if one[:3] in ("LDG", "STG")]
        assert len(waits) == len(releases) == 1, kernel.name
        assert releases[0] < waits[0] < min(memory), kernel.name
