# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bench.adapter import Adapter, LoadError
from bench.task.side import Side
from tests.fake_solution import FakeSolution

ROOT = Path(__file__).resolve().parents[2]
OP = "residual_gate_add"


def adapter(folder: Path, entry: str = "build.py:load") -> Adapter:
    return Adapter(Side("solution", f"{folder}/{entry}", "cpu", "once", (), str(folder)), "cpu")


def tensors(shape: tuple[int, ...] = (1, 3, 8)) -> list[torch.Tensor]:
    return [torch.ones(shape, dtype=torch.bfloat16) for _ in range(4)]


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("import not_there", LoadError, "ModuleNotFoundError: No module named 'not_there'"),
        ("def load(", LoadError, "SyntaxError"),
        ("def other(): pass", LoadError, "AttributeError"),
        ("def load(op): pass", LoadError, "TypeError"),
        ("def load(op, **_): pass", LoadError, "AttributeError"),
        ("def load(op, **_): raise ValueError(op)", LoadError, "ValueError: residual_gate_add"),
        ("def load(op, **_): raise NotImplementedError('none')", NotImplementedError, "none"),
        (
            "class BuildError(RuntimeError): pass\ndef load(op, **_): raise BuildError('ld')",
            RuntimeError,
            "^ld$",
        ),
    ],
)
def test_a_side_that_does_not_load_says_why(
    tmp_path: Path, source: str, error: type[Exception], words: str
) -> None:
    (tmp_path / "build.py").write_text(source)
    with pytest.raises(error, match=words):
        adapter(tmp_path).load(OP)


def test_a_missing_entry_file_is_not_implemented(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"has no build\.py"):
        adapter(tmp_path).load(OP)


def test_a_dataclass_in_a_solution_finds_its_module(tmp_path: Path) -> None:
    (tmp_path / "build.py").write_text(
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "from typing import ClassVar\n"
        "@dataclasses.dataclass\n"
        "class Entry:\n    call: object\n    plan: object = None\n    kind: ClassVar[int] = 1\n"
        "def load(op, **_): return Entry(print)\n"
    )
    assert adapter(tmp_path).load(OP) == (print, None)


def test_an_op_is_loaded_once(tmp_path: Path) -> None:
    FakeSolution(tmp_path).at_load("kept[op] = kept.get(op, 0) + 1; print(kept[op])")
    one = adapter(tmp_path)
    assert one.load(OP) is one.load(OP)


def test_the_contract_is_checked_when_bound_and_not_in_the_call(tmp_path: Path) -> None:
    FakeSolution(tmp_path)
    one = adapter(tmp_path)
    wrong = [*tensors()[:3], tensors((1, 3, 9))[0]]
    with pytest.raises(ValueError, match=r"^out: expected shape \[1, 3, 8\], got \[1, 3, 9\]$"):
        one.bind(OP, wrong)
    one.bind(OP, wrong, validated=False)
    right = tensors()
    one.bind(OP, right)()
    assert right[3].eq(2).all()


def test_the_baseline_is_its_own_function_and_has_no_plan() -> None:
    one = Adapter(Side("baseline", f"{ROOT}/baseline/{{op}}.py:{{op}}"), "cpu")
    call, plan = one.load(OP)
    assert (call.__name__, plan) == (OP, None)
    assert one.plan(OP, tensors()) == ""
