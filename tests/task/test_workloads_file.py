# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib

import pytest

from bench.ops import OPS
from bench.task.config import load_config
from bench.task.errors import WorkloadError
from bench.task.tolerance import Tolerance
from bench.task.workload import load_workloads
from tests.task.own_files import ROOT, ROWS, ROWS_PATH, ROWS_TEXT, edited_rows, write_rows

FIRST = "ltx2_full_s8160_c4096"


def refusal(tmp_path, text):
    with pytest.raises(WorkloadError) as caught:
        load_workloads(write_rows(tmp_path, text), OPS, "")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_eight_rows_of_the_task_are_frozen():
    frozen = load_config(ROOT / "config.toml").task.workloads_sha256
    workloads = load_workloads(ROWS_PATH, OPS, frozen)
    assert (
        workloads.frozen and workloads.sha256 == hashlib.sha256(ROWS_PATH.read_bytes()).hexdigest()
    )
    rows = workloads.of([OPS[name] for name in load_config(ROOT / "config.toml").task.ops])
    assert [(row.id, row.layout, row.seed, row.calls) for row in rows] == [
        ("ltx2_full_s8160_c4096", "full", 1901, 27927),
        ("ltx2_bcast_s32640_c4096", "row", 1902, 4332),
        ("ltx2_full_s126_c2048", "full", 1903, 33123),
        ("ideogram4_bcast_s4096_c4608", "row", 1904, 1360),
        ("flux2_bcast_s4608_c3072", "row", 1905, 2000),
        ("flux2_bcast_s4096_c3072", "row", 1906, None),
        ("flux2_bcast_s512_c3072", "row", 1907, None),
        ("ltx2_broadcast_add_4d_s126_p3_c2048", "broadcast", 1908, 13392),
    ]
    assert {row.dtype for row in workloads.rows} == {"bfloat16"}
    assert {row.tolerance for row in workloads.rows} == {Tolerance(0.05, 0.05)}
    assert all(row.production for row in workloads.rows)
    assert [row.shape(row.op.tensors[-1]) for row in rows] == [
        (1, 8160, 4096),
        (1, 32640, 4096),
        (1, 126, 2048),
        (1, 4096, 4608),
        (1, 4608, 3072),
        (1, 4096, 3072),
        (1, 512, 3072),
        (1, 126, 3, 2048),
    ]
    assert workloads.rows[0].bytes_moved == 4 * 2 * 8160 * 4096


def test_a_changed_file_still_loads_but_is_not_frozen(tmp_path):
    frozen = hashlib.sha256(ROWS_PATH.read_bytes()).hexdigest()
    assert load_workloads(write_rows(tmp_path, ROWS_TEXT), OPS, frozen).frozen
    assert not load_workloads(write_rows(tmp_path, ROWS_TEXT + "\n"), OPS, frozen).frozen


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"op": "residual_add"}, "unknown op 'residual_add'; did you mean residual_gate_add?"),
        ({"layout": "ful"}, "residual_gate_add has no layout 'ful'; did you mean full?"),
        ({"dtype": "float15"}, "residual_gate_add takes no dtype 'float15'; did you mean float16?"),
        ({"axes": {"B": 1, "L": 8160}}, "axes: missing D; expected B, L, D"),
        (
            {"axes": {"B": 1, "L": 8160, "D": 4096, "S": 2}},
            "axes: unknown 'S'; expected one of B, L, D",
        ),
        (
            {"strides": {**ROWS["rows"][0]["strides"], "gate": [1, 4096, 1]}},
            "strides.gate: expected [33423360, 4096, 1] for shape [1, 8160, 4096], "
            "got [1, 4096, 1]",
        ),
        (
            {"strides": {**ROWS["rows"][0]["strides"], "gate": [1] * 9}},
            "strides.gate: expected [33423360, 4096, 1] for shape [1, 8160, 4096], "
            "got [1, 1, 1, 1, 1, 1, 1, 1, ...]",
        ),
        ({"strides": {}}, "strides: missing residual; expected residual, update, gate, out"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_its_op_is_refused_by_id(tmp_path, values, message):
    assert refusal(tmp_path, edited_rows(0, **values)) == f"workloads.json: {FIRST}: {message}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"axes": {"B": 0, "L": 1, "D": 1}}, "rows[2].axes.B: expected at least 1, got 0"),
        ({"axes": {"B": 1 << 31, "L": 1, "D": 1}}, "rows[2].axes.B: expected at most 2147483647"),
        ({"axes": {"B": True, "L": 1, "D": 1}}, "rows[2].axes.B: expected an integer, got True"),
        (
            {"tolerance": {"atol": float("nan"), "rtol": 0.1}},
            "rows[2].tolerance.atol: expected a finite number, got nan",
        ),
        (
            {"tolerance": {"atol": 0.1, "rtol": -0.1}},
            "rows[2].tolerance.rtol: expected at least 0, got -0.1",
        ),
        ({"tolerance": {"atol": 0.1}}, "rows[2].tolerance: missing key rtol; add it"),
        ({"sed": 3}, "unknown key rows[2].sed; did you mean rows[2].seed?"),
        ({"seed": -1}, "rows[2].seed: expected at least 0, got -1"),
        ({"production": 1}, "rows[2].production: expected true or false, got 1"),
        ({"calls": 0}, "rows[2].calls: expected at least 1, got 0"),
        ({"id": "A b"}, "rows[2].id: expected lower-case letters, digits and underscores"),
        ({"strides": {"gate": 3}}, "rows[2].strides.gate: expected a list, got 3"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_place(tmp_path, values, message):
    message = message.replace(
        "rows[2].tolerance: missing key rtol", "missing key rows[2].tolerance.rtol"
    )
    assert refusal(tmp_path, edited_rows(2, **values)).startswith(f"workloads.json: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[]", "top level: expected a table, got a list"),
        (b"\xff", "not JSON: "),
        ("[" * 100_000, "not JSON: "),
        ("9" * 5000, "not JSON: "),
        ('{"schema": 1, "schema": 1, "rows": []}', "key 'schema' stands twice in one object"),
        ('{"schema": 1, "rows": []}', "rows: expected at least one row, got none"),
        ('{"schema": 2, "rows": []}', "schema: expected at most 1, got 2"),
        ('{"rows": []}', "missing key schema; add it"),
        (edited_rows(1, id=FIRST), f"{FIRST}: expected one row of this id, got 2"),
    ],
)
def test_a_file_that_is_something_else_is_refused(tmp_path, text, message):
    assert refusal(tmp_path, text).startswith(f"workloads.json: {message}")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(WorkloadError, match=r"none\.json: not found; config\.toml names it"):
        load_workloads(tmp_path / "none.json", OPS, "")
    with pytest.raises(WorkloadError, match="cannot be read"):
        load_workloads(tmp_path, OPS, "")
