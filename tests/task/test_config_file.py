# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from bench.task.arithmetic import Rounding
from bench.task.config import Config, load_config
from bench.task.errors import ConfigError, UserError
from bench.task.parse import Parser
from tests.task.own_files import CONFIG, CONFIG_PATH, CONFIG_TEXT, LEAVES, changed


def refusal(tmp_path, old, new):
    assert CONFIG_TEXT.count(old) >= 1
    path = tmp_path / "config.toml"
    path.write_text(CONFIG_TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return str(caught.value)


def test_the_config_of_the_checkout_is_read_into_frozen_values():
    config = load_config(CONFIG_PATH)
    assert config.task.slug == "diffusion_residual_gate_add__multi_shape"
    assert config.solution.rounding is Rounding.EACH_STEP
    assert (config.solution.language.cuda, config.solution.language.cpu) == ("cuda", "cpu")
    assert config.benchmark.warmup_calls == 10 and config.benchmark.trials == 7
    assert config.benchmark.inner_calls_max == 2048 and config.benchmark.window_us == 1000
    assert config.benchmark.row_time_limit_s == 900
    assert (config.correctness.once_max_ulps, config.correctness.each_step_max_ulps) == (1, 0)
    assert config.workloads_path == CONFIG_PATH.parent / "workloads.json"
    with pytest.raises(AttributeError):
        config.benchmark.trials = 1


def test_the_resolved_config_survives_json_and_parses_to_itself():
    resolved = json.loads(json.dumps(CONFIG, allow_nan=False))
    assert Parser("x", ConfigError).table(Config, resolved).resolved() == CONFIG


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "warmup_calls =",
            "warmup_call =",
            "config.toml: unknown key benchmark.warmup_call; did you mean benchmark.warmup_calls?",
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
            'workloads_sha256 = "',
            'workloads_sha256 = "0',
            "config.toml: task.workloads_sha256: expected 64 hexadecimal digits, got '0",
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


def test_an_integer_may_stand_for_a_number():
    seconds = changed(("benchmark", "row_time_limit_s"), 5)
    value = Parser("x", ConfigError).table(Config, seconds).benchmark.row_time_limit_s
    assert value == 5.0 and type(value) is float


# The data sheets are an open table: its keys are devices, and any may be left out.
@pytest.mark.parametrize("path", [p for p in LEAVES if p[0] != "datasheet_gbps"], ids=".".join)
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
