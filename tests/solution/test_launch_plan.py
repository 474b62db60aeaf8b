# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import subprocess

import pytest

from solution import build as solution_build

SOURCE = """
#include "launch_plan.h"
using namespace solution;
extern "C" void plan(int flat, int64_t rows, int64_t columns, uint32_t itemsize,
                     uint64_t addresses, int capability, uint32_t* result, char* text) {
  const Problem problem{rows, columns, itemsize, addresses, capability};
  const LaunchPlan plan = flat ? plan_flat(problem) : plan_rows(problem);
  result[0] = plan.columns, result[1] = plan.rows, result[2] = plan.threads;
  result[3] = plan.vector_bytes, result[4] = plan.programmatic;
  describe_launch(plan, flat ? "full" : "row", itemsize, text, 96);
}
extern "C" void norm_plan(int64_t rows, int64_t columns, uint32_t itemsize, uint64_t addresses,
                          int vectors_a_thread, uint32_t* result) {
  const Problem problem{rows, columns, itemsize, addresses, 90};
  const LaunchPlan plan = plan_norm_rows(problem, vectors_a_thread);
  result[0] = plan.columns, result[1] = plan.threads, result[2] = plan.vector_bytes;
  result[3] = vectors_per_thread(columns * itemsize / plan.vector_bytes, plan.threads);
}
static_assert(plan_flat({1, 8, 2, 0, 90}).columns == 1, "a plan is a constant expression");
"""


class Plan:
    def __init__(self, result, text):
        self.columns, self.rows, self.threads, self.vector_bytes, self.programmatic = result
        self.text = text


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "plan.cc").write_text(SOURCE)
    include = f"-I{solution_build.FOLDER / 'include'}"
    command = ["g++", "-std=c++17", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", include]
    subprocess.run([*command, "plan.cc", "-o", "plan.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "plan.so"))


@pytest.fixture
def plan(library):
    def of(layout, rows, columns, *, itemsize=2, addresses=0, capability=90):
        result, text = (ctypes.c_uint32 * 5)(), ctypes.create_string_buffer(96)
        library.plan(
            layout == "full",
            ctypes.c_int64(rows),
            ctypes.c_int64(columns),
            itemsize,
            ctypes.c_uint64(addresses),
            capability,
            result,
            text,
        )
        return Plan(list(result), text.value.decode())

    return of


def covered(plan, itemsize=2):
    """Elements of a row, or of a flat tensor, that the grid has threads for."""
    return plan.columns * plan.threads * plan.vector_bytes // itemsize


@pytest.mark.parametrize(
    ("layout", "rows", "columns", "text"),
    [
        ("full", 8160, 4096, "full 1-D 256x16320 vec8 pdl early"),
        ("row", 32640, 4096, "row 2-D 256x(2,32640) vec8 pdl early"),
        ("full", 126, 2048, "full 1-D 128x252 vec8 pdl late"),
        ("row", 4096, 4608, "row 2-D 192x(3,4096) vec8 pdl early"),
        ("row", 4608, 3072, "row 2-D 192x(2,4608) vec8 pdl early"),
        ("row", 4096, 3072, "row 2-D 192x(2,4096) vec8 pdl early"),
        ("row", 512, 3072, "row 2-D 192x(2,512) vec8 pdl early"),
        ("row", 126, 3 * 2048, "row 2-D 256x(3,126) vec8 pdl early"),
    ],
)
def test_each_production_row_has_this_plan_on_hopper(layout, rows, columns, text, plan):
    made = plan(layout, rows, columns)
    assert made.text == text
    assert made.columns * made.rows >= 132  # every multiprocessor of an H200 has a block
    if layout == "row":
        assert covered(made) == columns  # no thread is idle


def test_a_blackwell_takes_32_bytes_a_thread_and_an_ampere_no_dependent_launch(plan):
    assert plan("row", 4096, 4608, capability=100).text == "row 2-D 96x(3,4096) vec16 pdl early"
    assert plan("full", 8160, 4096, capability=120).text == "full 1-D 256x8160 vec16 pdl early"
    assert plan("full", 8160, 4096, capability=80).text == "full 1-D 256x16320 vec8"


@pytest.mark.parametrize("layout", ["full", "row"])
@pytest.mark.parametrize("itemsize", [2, 4])
@pytest.mark.parametrize("columns", [1, 2, 3, 7, 8, 509, 1024, 1028, 2050, 4096, 4608, 6144])
@pytest.mark.parametrize("rows", [1, 5, 65535, 65536, 200000])
@pytest.mark.parametrize("capability", [80, 90, 100])
def test_every_grid_covers_its_tensor_and_fits_the_machine(
    layout, itemsize, columns, rows, capability, plan
):
    made = plan(layout, rows, columns, itemsize=itemsize, capability=capability)
    elements = rows * columns if layout == "full" else columns
    assert elements <= covered(made, itemsize)
    assert elements > covered(made, itemsize) - made.threads * made.vector_bytes // itemsize
    assert made.rows == (1 if layout == "full" else min(rows, 65535))
    assert 64 <= made.threads <= 256 and made.threads % 32 == 0


@pytest.mark.parametrize("offset", [2, 4, 8])
def test_a_misaligned_address_takes_the_scalar_kernel(offset, plan):
    for layout in ("full", "row"):
        assert plan(layout, 64, 4096, addresses=4096 | offset).vector_bytes == 2
    assert plan("full", 64, 4096, itemsize=4, addresses=offset).vector_bytes == 4


def test_sixteen_byte_alignment_is_not_enough_for_32_byte_vectors(plan):
    assert plan("full", 64, 4096, addresses=16, capability=100).vector_bytes == 16
    assert plan("row", 64, 4104, capability=100).vector_bytes == 16  # rows of 8208 bytes


def test_a_row_gate_with_odd_width_takes_the_scalar_kernel_and_a_full_gate_does_not(plan):
    assert plan("row", 64, 1031).vector_bytes == 2
    assert plan("full", 64, 1031).vector_bytes == 16


def test_more_than_2_to_the_31_elements_keep_their_count(plan):
    made = plan("full", 2**20, 2**13)
    assert covered(made) == 2**33


@pytest.fixture
def norm_plan(library):
    def of(rows, columns, wanted, *, itemsize=2, addresses=0):
        """Blocks, threads, bytes a vector and vectors a thread (0: read again) of a norm."""
        result = (ctypes.c_uint32 * 4)()
        sizes = (ctypes.c_int64(rows), ctypes.c_int64(columns), itemsize)
        library.norm_plan(*sizes, ctypes.c_uint64(addresses), wanted, result)
        return tuple(result)

    return of


@pytest.mark.parametrize(
    ("columns", "wanted", "threads"),
    [(4096, 2, 256), (4096, 4, 128), (3072, 2, 192), (3072, 4, 96), (2048, 2, 128), (2048, 4, 64)],
)
def test_a_norm_of_a_production_row_idles_no_thread(columns, wanted, threads, norm_plan):
    assert norm_plan(8160, columns, wanted) == (8160, threads, 16, wanted)
    assert threads * wanted * 8 == columns


@pytest.mark.parametrize("wanted", [2, 4])
@pytest.mark.parametrize("itemsize", [2, 4])
@pytest.mark.parametrize("columns", [1, 7, 8, 264, 1031, 4096, 16_384, 32_768, 40_000, 40_001])
def test_a_norm_has_a_place_for_each_vector_or_reads_the_row_again(
    columns, itemsize, wanted, norm_plan
):
    blocks, threads, vector_bytes, vectors_a_thread = norm_plan(
        5, columns, wanted, itemsize=itemsize
    )
    vectors = columns * itemsize // vector_bytes
    assert blocks == 5 and threads % 32 == 0 and 32 <= threads <= 1024
    assert columns * itemsize == vectors * vector_bytes
    assert vectors <= threads * vectors_a_thread or (vectors_a_thread, threads) == (0, 1024)


def test_a_misaligned_norm_takes_single_elements(norm_plan):
    assert norm_plan(5, 4096, 2, addresses=2)[2] == 2


def test_more_rows_than_a_grid_has_are_refused_by_the_launch_and_not_wrapped_round(norm_plan):
    assert norm_plan(2**32 + 1, 8, 2)[0] > 2**31 - 1
