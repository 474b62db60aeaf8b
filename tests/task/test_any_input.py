# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in config.toml or workloads.json, the answer is a value or one sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.ops import OPS
from bench.task.config import Config, load_config
from bench.task.errors import ConfigError, WorkloadError
from bench.task.parse import Parser
from bench.task.workload import load_workloads
from tests.task.own_files import (
    CONFIG_TEXT,
    LEAVES,
    ROWS,
    ROWS_TEXT,
    changed,
    edited_rows,
    write_rows,
)

ANY_FILE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.sampled_from(LEAVES), VALUES)
def test_any_value_at_any_key_parses_or_is_a_config_error(path, value):
    try:
        config = Parser("config.toml", ConfigError).table(Config, changed(path, value))
    except ConfigError as error:
        assert len(str(error)) < 400
        assert ".".join(path) in str(error)
    else:
        json.dumps(config.resolved(), allow_nan=False)


@given(VALUES)
def test_any_data_parses_or_is_a_config_error(data):
    with pytest.raises(ConfigError):
        Parser("config.toml", ConfigError).table(Config, data)


@ANY_FILE
@given(
    st.integers(0, len(CONFIG_TEXT)), st.integers(0, 40), st.text(max_size=8) | st.just("[" * 3000)
)
def test_any_edit_of_the_file_parses_or_is_a_config_error(tmp_path, start, length, insert):
    path = tmp_path / "config.toml"
    path.write_bytes(
        (CONFIG_TEXT[:start] + insert + CONFIG_TEXT[start + length :]).encode(
            "utf-8", "surrogatepass"
        )
    )
    try:
        json.dumps(load_config(path).resolved(), allow_nan=False)
    except ConfigError as error:
        assert str(error)


def parses_or_refuses(path):
    try:
        load_workloads(path, OPS, "")
    except WorkloadError as error:
        assert 0 < len(str(error)) < 600


@ANY_FILE
@given(VALUES)
def test_any_json_loads_or_is_a_workload_error(tmp_path, data):
    parses_or_refuses(write_rows(tmp_path, json.dumps(data)))


@ANY_FILE
@given(st.integers(0, 7), st.sampled_from(sorted(ROWS["rows"][0])), VALUES)
def test_any_value_in_a_row_loads_or_is_a_workload_error(tmp_path, row, key, value):
    parses_or_refuses(write_rows(tmp_path, edited_rows(row, **{key: value})))


@ANY_FILE
@given(st.sampled_from(("axes", "strides", "tolerance")), st.data())
def test_any_value_inside_a_table_of_a_row_loads_or_is_a_workload_error(tmp_path, table, data):
    inner = dict(ROWS["rows"][0][table])
    inner[data.draw(st.sampled_from(sorted(inner)) | st.text())] = data.draw(VALUES)
    parses_or_refuses(write_rows(tmp_path, edited_rows(0, **{table: inner})))


@ANY_FILE
@given(st.integers(0, len(ROWS_TEXT)), st.integers(0, 40), st.text(max_size=8))
def test_any_edit_of_the_file_loads_or_is_a_workload_error(tmp_path, start, length, insert):
    parses_or_refuses(
        write_rows(tmp_path, ROWS_TEXT[:start] + insert + ROWS_TEXT[start + length :])
    )
