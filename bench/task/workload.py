# SPDX-License-Identifier: Apache-2.0
"""workloads.json: the frozen rows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bench.task.errors import WorkloadError, suggest
from bench.task.op import Op
from bench.task.parse import Parser, Pattern, Range, show
from bench.task.tolerance import Tolerance

Size = Annotated[int, Range(1, 2**31 - 1)]


@dataclass(frozen=True)
class Row:
    """One row as the file holds it, its parts not yet checked against each other."""

    id: Annotated[str, Pattern(r"[a-z0-9_]+", "lower-case letters, digits and underscores")]
    op: str
    layout: str
    axes: Mapping[str, Size]
    dtype: str
    seed: Annotated[int, Range(0, 2**63 - 1)]
    strides: Mapping[str, tuple[int, ...]]
    tolerance: Tolerance
    production: bool
    origin: str
    calls: Annotated[int, Range(1)] | None


@dataclass(frozen=True)
class File:
    """The whole of workloads.json."""

    schema: Annotated[int, Range(1, 1)]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Workload:
    """One op at concrete axes."""

    id: str
    op: Op
    layout: str
    axes: Mapping[str, int]
    dtype: str
    seed: int
    strides: Mapping[str, tuple[int, ...]]
    """Elements."""
    tolerance: Tolerance
    production: bool
    """Seen in a model that is served; these rows make the headline."""
    origin: str
    calls: int | None
    """Profiled calls in one run of the model, where known."""

    def shape(self, tensor: str) -> tuple[int, ...]:
        """Sizes of one of the op's tensors."""
        return self.op.shape(tensor, self.layout, self.axes)

    def secret_seed(self, run_seed: int) -> int:
        """The row's own seed is public: mixed into the run's, its data is not known before."""
        return (run_seed * 1_000_003 + self.seed) % (1 << 63)

    @property
    def bytes_moved(self) -> int:
        """The least memory traffic with which the row can be done."""
        return self.op.bytes_moved(self.layout, self.axes, self.dtype)


@dataclass(frozen=True)
class Workloads:
    """The rows of a file, in its order."""

    rows: tuple[Workload, ...]
    sha256: str
    frozen: bool
    """Whether the file is the one whose digest stands in the config."""

    def of(self, ops: Collection[Op]) -> list[Workload]:
        """The rows of these ops."""
        return [row for row in self.rows if row.op in ops]


def load_workloads(path: Path, ops: Mapping[str, Op], frozen_sha256: str) -> Workloads:
    """Read and check workloads.json; WorkloadError says in one sentence what is wrong with it."""
    content = _read(path)
    file = Parser(path.name, WorkloadError).table(File, _json(path, content))
    if not file.rows:
        raise WorkloadError(f"{path.name}: rows: expected at least one row, got none")
    for name, count in Counter(row.id for row in file.rows).items():
        if count > 1:
            raise WorkloadError(f"{path.name}: {name}: expected one row of this id, got {count}")
    rows = tuple(_workload(f"{path.name}: {row.id}", row, ops) for row in file.rows)
    sha256 = hashlib.sha256(content).hexdigest()
    return Workloads(rows, sha256, sha256 == frozen_sha256)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise WorkloadError(f"{path}: not found; config.toml names it as task.workloads") from None
    except OSError as error:
        raise WorkloadError(f"{path}: cannot be read: {error.strerror}") from None


def _json(path: Path, content: bytes) -> object:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        for key, count in Counter(key for key, _ in pairs).items():
            if count > 1:
                raise WorkloadError(f"{path.name}: key {show(key)} stands twice in one object")
        return dict(pairs)

    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, or nested without end
        raise WorkloadError(f"{path.name}: not JSON: {error}") from None


def _workload(at: str, row: Row, ops: Mapping[str, Op]) -> Workload:
    if row.op not in ops:
        raise WorkloadError(f"{at}: unknown op {show(row.op)}; {suggest(row.op, ops)}")
    op = ops[row.op]
    if row.layout not in op.layouts:
        near = suggest(row.layout, op.layouts)
        raise WorkloadError(f"{at}: {op.name} has no layout {show(row.layout)}; {near}")
    if row.dtype not in op.dtypes:
        near = suggest(row.dtype, op.dtypes)
        raise WorkloadError(f"{at}: {op.name} takes no dtype {show(row.dtype)}; {near}")
    _check_names(f"{at}: axes", op.axes_names, row.axes)
    _check_names(f"{at}: strides", op.tensors, row.strides)
    for tensor in op.tensors:
        expected = op.strides(tensor, row.layout, row.axes)
        if row.strides[tensor] != expected:
            raise WorkloadError(
                f"{at}: strides.{tensor}: expected {list(expected)} for shape "
                f"{list(op.shape(tensor, row.layout, row.axes))}, got {_sizes(row.strides[tensor])}"
            )
    values = {name: getattr(row, name) for name in Row.__dataclass_fields__}
    return Workload(**{**values, "op": op})


def _check_names(at: str, expected: tuple[str, ...], got: Mapping[str, object]) -> None:
    for name in got:
        if name not in expected:
            raise WorkloadError(f"{at}: unknown {show(name)}; {suggest(name, expected)}")
    for name in expected:
        if name not in got:
            raise WorkloadError(f"{at}: missing {name}; expected {', '.join(expected)}")


def _sizes(strides: tuple[int, ...]) -> str:
    return f"[{', '.join(show(step) for step in strides[:8])}{', ...' * (len(strides) > 8)}]"
