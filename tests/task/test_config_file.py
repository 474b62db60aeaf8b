# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.task.config import Config, load_config
from bench.task.errors import ConfigError, UserError
from bench.task.op import Rounding
from bench.task.parse import Parser, Range

PATH = Path(__file__).parents[2] / "config.toml"
TEXT = PATH.read_text(encoding="utf-8")
PLAIN = load_config(PATH).resolved()
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def leaves(table, at=()):
    for key, value in table.items():
        yield from leaves(value, (*at, key)) if isinstance(value, dict) else [(*at, key)]


LEAVES = sorted(leaves(PLAIN))


def changed(path, value):
    data = copy.deepcopy(PLAIN)
    table = data
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return data


def refusal(tmp_path, old, new):
    assert TEXT.count(old) >= 1
    path = tmp_path / "config.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value)


def test_the_config_of_the_checkout_is_read_into_frozen_values():
    config = load_config(PATH)
    assert config.task.slug == "diffusion_residual_gate_add__multi_shape"
    assert config.solution.rounding is Rounding.EACH_STEP
    assert (config.solution.language.cuda, config.solution.language.cpu) == ("cuda", "cpu")
    assert config.benchmark.warmup_calls == 10 and config.benchmark.trials == 7
    assert config.benchmark.inner_calls_max == 2048 and config.benchmark.window_us == 1000
    assert config.benchmark.row_time_limit_s == 900
    assert (config.correctness.once_max_ulps, config.correctness.each_step_max_ulps) == (1, 0)
    assert config.workloads_path == PATH.parent / "workloads.json"
    with pytest.raises(AttributeError):
        config.benchmark.trials = 1


def test_the_resolved_config_survives_json_and_parses_to_itself():
    resolved = json.loads(json.dumps(PLAIN, allow_nan=False))
    assert Parser("x", ConfigError).table(Config, resolved).resolved() == PLAIN


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "warmup_calls =",
            "warmup =",
            "config.toml: unknown key benchmark.warmup; did you mean benchmark.warmup_calls?",
        ),
        (
            "[benchmark]",
            "[benchmarks]",
            "config.toml: unknown key benchmarks; did you mean benchmark?",
        ),
        (
            "trials = 7",
            "zzz = 7",
            "config.toml: unknown key benchmark.zzz; expected one of benchmark.",
        ),
        ("trials = 7", "", "config.toml: missing key benchmark.trials; add it"),
        (
            "trials = 7",
            "trials = true",
            "config.toml: benchmark.trials: expected an integer, got True",
        ),
        ("trials = 7", "trials = 7.0", "config.toml: benchmark.trials: expected an integer, got"),
        ("trials = 7", "trials = 0", "config.toml: benchmark.trials: expected at least 1, got 0"),
        (
            "trials = 7",
            f"trials = 0x{'f' * 5000}",
            "config.toml: benchmark.trials: expected an integer of 64 bits, got one of 20000 bits",
        ),
        (
            "window_us = 1000",
            f"window_us = 0x{'f' * 5000}",
            "config.toml: benchmark.window_us: expected a number, got one of 20000 bits",
        ),
        (
            "window_us = 1000",
            "window_us = nan",
            "config.toml: benchmark.window_us: expected a finite number, got nan",
        ),
        (
            'rounding = "each_step"',
            'rounding = "twice"',
            "config.toml: solution.rounding: expected once or each_step, got 'twice'",
        ),
        (
            'cuda = "cuda"',
            'cuda = "opencl"',
            "config.toml: solution.language.cuda: expected cuda or triton, got 'opencl'",
        ),
        (
            '["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]',
            '["-O3", 2]',
            "config.toml: solution.flags.cpu[1]: expected a string, got 2",
        ),
        (
            '["-O3", "-march=native", "-fopenmp", "-ffp-contract=off"]',
            '"-O3"',
            "config.toml: solution.flags.cpu: expected a list, got '-O3'",
        ),
        (
            'workloads_sha256 = "',
            'workloads_sha256 = "x',
            "config.toml: task.workloads_sha256: expected 64 hexadecimal digits, got 'x",
        ),
        (
            '"baseline/{op}.py:{op}"',
            '"baseline"',
            "config.toml: baseline.entry: expected a .py file, a colon and a function, got",
        ),
        ("[solution.flags]", "[solution.flags", "config.toml: not TOML: "),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_key(tmp_path, old, new, message):
    got = refusal(tmp_path, old, new)
    assert got.removeprefix(f"{tmp_path}/").startswith(message)
    assert "\n" not in got and issubclass(ConfigError, UserError)


@dataclass(frozen=True)
class Share:
    ratio: Annotated[float, Range(0, 1)]
    count: Annotated[int, Range(1)] | None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"ratio": 1.5, "count": None}, "x: ratio: expected at most 1, got 1.5"),
        ({"ratio": -0.5, "count": None}, "x: ratio: expected at least 0, got -0.5"),
        ({"ratio": 1, "count": 0}, "x: count: expected at least 1, got 0"),
        ({"ratio": 1, "count": 1.5}, "x: count: expected an integer, got 1.5"),
        ({"ratio": None, "count": 1}, "x: ratio: expected a number, got None"),
        ({"ratio": False, "count": 1}, "x: ratio: expected a number, got False"),
    ],
)
def test_a_limit_stands_beside_its_field(data, message):
    assert Parser("x", ConfigError).table(Share, {"ratio": 1, "count": None}) == Share(1.0, None)
    with pytest.raises(ConfigError) as caught:
        Parser("x", ConfigError).table(Share, data)
    assert str(caught.value) == message


def test_an_integer_may_stand_for_a_number():
    seconds = changed(("benchmark", "row_time_limit_s"), 5)
    value = Parser("x", ConfigError).table(Config, seconds).benchmark.row_time_limit_s
    assert value == 5.0 and type(value) is float


@pytest.mark.parametrize("path", LEAVES, ids=".".join)
def test_every_key_is_required(path):
    data = changed(path, None)
    table = data
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    with pytest.raises(ConfigError, match=f"missing key {'.'.join(path)}; add it"):
        Parser("config.toml", ConfigError).table(Config, data)


def test_a_missing_file_a_folder_and_foreign_bytes_are_config_errors(tmp_path):
    for content in (None, b"\xff\xfe", b"a = " + b"[" * 100_000, b"a = " + b"9" * 5000):
        path = tmp_path / "config.toml"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigError, match=r"config\.toml: "):
            load_config(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_an_override_is_checked_recorded_and_leaves_the_original_alone():
    config = load_config(PATH)
    other = config.override({"solution.rounding": "once", "benchmark.trials": 3})
    again = other.override({"benchmark.trials": 5, "solution.language.cuda": "triton"})
    assert (config.solution.rounding, config.overrides) == (Rounding.EACH_STEP, {})
    assert other.overrides == {"solution.rounding": "once", "benchmark.trials": 3}
    assert again.solution.rounding is Rounding.ONCE and again.benchmark.trials == 5
    assert again.overrides == {
        "solution.rounding": "once",
        "benchmark.trials": 5,
        "solution.language.cuda": "triton",
    }
    assert again.path == PATH and again.resolved()["benchmark"]["trials"] == 5


def test_an_override_takes_values_of_their_own_type():
    config = load_config(PATH).override(
        {"solution.rounding": Rounding.ONCE, "solution.flags.cpu": ("-O2",)}
    )
    assert config.solution.flags.cpu == ("-O2",)
    assert json.dumps(config.overrides) == json.dumps(
        {"solution.rounding": "once", "solution.flags.cpu": ["-O2"]}
    )


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("benchmark.trial", 3, "unknown key benchmark.trial; did you mean benchmark.trials?"),
        ("bench.trials", 3, "unknown key bench; did you mean benchmark?"),
        ("task.slug.x", 3, "unknown key task.slug.x; task.slug has no keys below it"),
        ("zzz", 3, "unknown key zzz; expected one of task, baseline"),
        ("benchmark.trials", "3", "benchmark.trials: expected an integer, got '3'"),
        ("benchmark", 3, "benchmark: expected a table, got 3"),
    ],
)
def test_a_wrong_override_is_refused_as_the_file_is(key, value, message):
    with pytest.raises(ConfigError) as caught:
        load_config(PATH).override({key: value})
    assert str(caught.value).startswith(f"override: {message}")


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=8) | st.just("[" * 3000))
def test_any_edit_of_the_file_parses_or_is_a_config_error(tmp_path, start, length, insert):
    path = tmp_path / "config.toml"
    path.write_bytes(
        (TEXT[:start] + insert + TEXT[start + length :]).encode("utf-8", "surrogatepass")
    )
    try:
        json.dumps(load_config(path).resolved(), allow_nan=False)
    except ConfigError as error:
        assert str(error)
