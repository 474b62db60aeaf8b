# SPDX-License-Identifier: Apache-2.0
"""config.toml as one frozen value. A new key is one line here and one line there."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

from bench.task.arithmetic import Rounding
from bench.task.errors import ConfigError
from bench.task.parse import OneOf, Parser, Pattern, Range, file_fields
from bench.task.tolerance import Tolerance

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Entry = Annotated[
    str, Pattern(r"[^:]+\.py:[A-Za-z_{][\w{}]*", "a .py file, a colon and a function")
]


@dataclass(frozen=True)
class Task:
    """[task]"""

    slug: Annotated[str, Pattern(r"\w+", "letters, digits and underscores")]
    target_gpu: str
    ops: tuple[str, ...]
    workloads: str
    workloads_sha256: Annotated[str, Pattern(r"[0-9a-f]{64}", "64 hexadecimal digits")]


@dataclass(frozen=True)
class Baseline:
    """[baseline]"""

    entry: Entry


@dataclass(frozen=True)
class Language:
    """[solution.language]: device type -> back end."""

    cuda: Annotated[str, OneOf(("cuda", "triton"))]
    cpu: Annotated[str, OneOf(("cpu",))]


@dataclass(frozen=True)
class Flags:
    """[solution.flags]: back end -> what its compiler is given."""

    cuda: tuple[str, ...]
    cpu: tuple[str, ...]


@dataclass(frozen=True)
class Solution:
    """[solution]"""

    entry: Entry
    rounding: Rounding
    language: Language
    flags: Flags


@dataclass(frozen=True)
class PerDevice:
    """Device type -> a count: [benchmark.processes], fresh processes a side."""

    cuda: Annotated[int, Range(2)]  # the null control halves them
    cpu: Annotated[int, Range(2)]


@dataclass(frozen=True)
class Fractions:
    """Device type -> a fraction: [benchmark.impossible_below], of the streaming floor."""

    cuda: Annotated[float, Range(0, 1)]
    cpu: Annotated[float, Range(0, 1)]


@dataclass(frozen=True)
class Benchmark:
    """[benchmark]"""

    warmup_calls: Annotated[int, Range(0)]
    trials: Annotated[int, Range(1)]
    inner_calls_max: Annotated[int, Range(1)]
    window_us: Annotated[float, Range(1)]
    row_time_limit_s: Annotated[float, Range(1)]
    warmup_us: Annotated[float, Range(0)]
    warmup_us_max: Annotated[float, Range(0)]
    extra_trials: Annotated[int, Range(0)]
    retakes: Annotated[int, Range(0)]
    slowdown_max: Annotated[float, Range(1)]
    trials_max: PerDevice
    precision: Annotated[float, Range(0, 1)]
    processes: PerDevice
    impossible_below: Fractions
    same_within: Annotated[float, Range(0, 1)]
    memory_fraction: Annotated[float, Range(0.01, 0.9)]
    confidence: Annotated[float, Range(0.5, 0.999)]
    bootstrap_draws: Annotated[int, Range(100)]


@dataclass(frozen=True)
class Tolerances:
    """[correctness.tolerance]: dtype -> tolerance of checks that are no frozen row."""

    bfloat16: Tolerance
    float16: Tolerance
    float32: Tolerance

    def of(self, dtype: str) -> Tolerance:
        """The tolerance of a dtype's name."""
        tolerance: Tolerance = getattr(self, dtype)
        return tolerance


@dataclass(frozen=True)
class Correctness:
    """[correctness]"""

    once_max_ulps: Annotated[int, Range(0)]
    each_step_max_ulps: Annotated[int, Range(0)]
    guard_bytes: Annotated[int, Range(0)]
    row_time_limit_s: Annotated[float, Range(1)]
    library_calls: Annotated[str, OneOf(("report", "refuse"))]
    tolerance: Tolerances


@dataclass(frozen=True)
class Config:
    """How to run, from config.toml and the flags that override it."""

    task: Task
    baseline: Baseline
    solution: Solution
    benchmark: Benchmark
    correctness: Correctness
    datasheet_gbps: Mapping[str, float]
    path: Path = field(default_factory=Path)
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Dotted key -> the value that stands in place of the file's."""

    @property
    def workloads_path(self) -> Path:
        """The workloads file, which the config names relative to itself."""
        return self.path.parent / self.task.workloads

    def resolved(self) -> dict[str, Any]:
        """Every key with the value in force, ready for JSON."""
        return {name: _plain(getattr(self, name)) for name in file_fields(Config)}

    def override(self, values: Mapping[str, Any]) -> Config:
        """The config with other values at dotted keys, checked as the file is."""
        data = self.resolved()
        for key, value in values.items():
            *sections, last = key.split(".")
            table: Any = data
            for section in sections:
                table = table.setdefault(section, {}) if isinstance(table, dict) else None
            if not isinstance(table, dict):
                section = ".".join(sections)
                raise ConfigError(f"override: unknown key {key}; {section} has no keys below it")
            table[last] = _plain(value)
        parsed = Parser("override", ConfigError).table(Config, data)
        overrides = {**self.overrides, **{key: _plain(value) for key, value in values.items()}}
        return dataclasses.replace(parsed, path=self.path, overrides=overrides)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; ConfigError when there is no such file or it is something else."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: not found; run from the root of the checkout") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or nested without end
        raise ConfigError(f"{path}: not TOML: {error}") from None


def load_config(path: Path) -> Config:
    """Read and check config.toml; ConfigError says in one sentence what is wrong with it."""
    config = Parser(path.name, ConfigError).table(Config, read_toml(path))
    return dataclasses.replace(config, path=path)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in file_fields(type(value))}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (tuple, list)) else value
