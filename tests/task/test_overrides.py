# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.task.arithmetic import Rounding
from bench.task.config import load_config
from bench.task.errors import ConfigError

PATH = Path(__file__).parents[2] / "config.toml"


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


def test_an_override_of_a_whole_section_is_copied_before_a_later_one_enters_it():
    flags = {"cuda": [], "cpu": []}
    config = load_config(PATH).override({"solution.flags": flags, "solution.flags.cpu": ["-O1"]})
    assert config.solution.flags.cpu == ("-O1",) and config.solution.flags.cuda == ()
    assert flags == {"cuda": [], "cpu": []}
