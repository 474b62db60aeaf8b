# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from bench.profiling import ncu
from bench.profiling.trace import ProfileFailure

RAW = (Path(__file__).parent / "ncu_raw.csv").read_text()
MIB = 1 << 20


def kernel(read=0.0, written=0.0, name="one"):
    return ncu.Measured(name, "", "", 1.0, read, written, None, None, None, None)


def test_table_is_read_kernel_by_kernel():
    first, second = ncu.parse(RAW)
    assert "MulFunctor" in first.name
    assert (first.grid, first.block) == ("(4080, 1, 1)", "(128, 1, 1)")
    assert first.us == pytest.approx(46.112)
    assert (first.dram_read_bytes, first.dram_write_bytes) == (133694976, 40000000)
    assert (first.dram_percent, first.sm_percent, first.occupancy_percent) == (78.5, 11.25, 88.1)
    assert first.registers == 32
    assert "CUDAFunctor_add" in second.name


def test_metric_that_a_gpu_has_not_is_none_unless_it_is_needed():
    assert ncu.parse(RAW)[1].dram_percent is None
    with pytest.raises(ProfileFailure, match="expected a number for gpu__time_duration"):
        ncu.parse(RAW.replace('"46,112"', '"n/a"'))


def test_larger_units_are_brought_to_microseconds_and_bytes():
    scaled = RAW.replace('"byte","byte","%","ns"', '"Mbyte","Kbyte","%","us"')
    first = ncu.parse(scaled)[0]
    assert (first.us, first.dram_read_bytes, first.dram_write_bytes) == (46112, 133694976e6, 4e10)


def test_unit_that_nobody_knows_is_refused():
    with pytest.raises(ProfileFailure, match=r"gpu__time_duration\.sum: expected a unit of"):
        ncu.parse(RAW.replace('"ns"', '"fortnight"'))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "got nothing"),
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "run as root"),
        ("==PROF== Connected\n==ERROR== Failed to find metric x\n", "Failed to find metric x"),
        ("==WARNING== No kernels were profiled.\n", "No kernels were profiled"),
        ("\n".join(RAW.splitlines()[:6]), "at least one kernel"),
        (RAW.replace("dram__bytes_read.sum", "other"), "the metric dram__bytes_read.sum"),
    ],
)
def test_output_without_kernels_says_why(text, words):
    with pytest.raises(ProfileFailure, match=words):
        ncu.parse(text)


def test_command_leaves_the_clocks_alone_and_profiles_only_what_the_target_shows(tmp_path):
    command = ncu.command("/opt/ncu", tmp_path / "log")
    assert command[0] == "/opt/ncu"
    assert command[command.index("--clock-control") + 1] == "none"
    assert command[command.index("--profile-from-start") + 1] == "off"
    assert set(command[-1].split(",")) == set(ncu.METRICS.values())


def test_kernels_are_given_to_their_rows_and_calls_in_order():
    names = ["mul0", "add0", "mul1", "add1", "one0", "one1"]
    rows = ncu.split([kernel(name=name) for name in names], [("full", 2), ("row", 1)], 2)
    assert {row: [[one.name for one in call] for call in calls] for row, calls in rows.items()} == {
        "full": [["mul0", "add0"], ["mul1", "add1"]],
        "row": [["one0"], ["one1"]],
    }


def test_a_kernel_too_few_is_refused_and_not_shifted():
    with pytest.raises(ProfileFailure, match="expected 4 kernels, got 3"):
        ncu.split([kernel()] * 3, [("full", 2)], 2)


def test_honest_traffic_is_no_finding():
    assert ncu.findings([kernel(300 * MIB, 40 * MIB)], 300 * MIB, 100 * MIB, 60 * MIB) == []
    assert ncu.findings([kernel(297 * MIB, 40 * MIB)], 300 * MIB, 100 * MIB, 60 * MIB) == []


def test_inputs_that_were_not_read_are_a_finding():
    (found,) = ncu.findings([kernel(290 * MIB, 100 * MIB)], 300 * MIB, 100 * MIB, 60 * MIB)
    assert found.startswith("read 304087040 bytes from memory, less than its inputs' 314572800")


def test_outputs_are_a_finding_only_beyond_what_l2_can_hold():
    assert ncu.findings([kernel(MIB, 0)], MIB, 50 * MIB, 60 * MIB) == []
    (found,) = ncu.findings([kernel(MIB, 30 * MIB)], MIB, 100 * MIB, 60 * MIB)
    assert found.startswith("wrote 31457280 bytes to memory")


def test_traffic_of_all_kernels_of_a_call_counts():
    kernels = [kernel(200 * MIB, 50 * MIB), kernel(100 * MIB, 50 * MIB)]
    assert ncu.findings(kernels, 300 * MIB, 100 * MIB, 60 * MIB) == []
