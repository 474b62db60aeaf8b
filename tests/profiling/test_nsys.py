# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.profiling import nsys
from bench.profiling.trace import ProfileFailure

KERNELS = """Generating SQLite file timeline.sqlite from timeline.nsys-rep
Processing [timeline.sqlite] with [cuda_gpu_kern_sum.py]...

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,1500000,20,75000.0,74000.0,70000,90000,10.0,"void mul<8, T>(int)"
25.0,500000,20,25000.0,25000.0,24000,26000,5.0,add
"""
MEMORY = """
Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
100.0,2000,2,1000.0,1000.0,900,1100,1.0,[CUDA memset]
"""
API = """
Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
100.0,44000,40,1100.0,1000.0,900,9000,1.0,cudaLaunchKernelExC_v11060
"""
NONE = "SKIPPED: timeline.sqlite does not contain GPU memory data.\n"


def test_tables_are_read_line_by_line():
    assert nsys.parse("kernels", KERNELS) == [
        nsys.Entry("kernels", "void mul<8, T>(int)", 20, 1500.0),
        nsys.Entry("kernels", "add", 20, 500.0),
    ]
    assert nsys.parse("memory operations", MEMORY)[0].name == "[CUDA memset]"
    assert nsys.parse("memory operations", MEMORY)[0].count == 2
    assert nsys.parse("CUDA calls of the host", API)[0].count == 40


def test_table_that_has_no_data_is_empty():
    assert nsys.parse("memory operations", NONE) == []


def test_words_that_are_no_table_are_refused():
    with pytest.raises(ProfileFailure, match="expected a table of kernels, got ERROR: no such"):
        nsys.parse("kernels", "ERROR: no such report")


def test_time_is_split_by_category():
    entries = nsys.parse("kernels", KERNELS) + nsys.parse("CUDA calls of the host", API)
    assert nsys.by_category(entries) == {
        "kernels": 2000.0,
        "memory operations": 0.0,
        "CUDA calls of the host": 44.0,
    }
