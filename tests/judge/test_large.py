# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from bench.judge import large
from bench.judge.case import Case
from bench.ops import OPS


def asked(monkeypatch: pytest.MonkeyPatch, op: str, device: str, room: int) -> list[Case]:
    cases: list[Case] = []
    monkeypatch.setattr(large, "memory_budget", lambda *_: room)
    checker: Any = SimpleNamespace(
        session=SimpleNamespace(device=device),
        sides=("baseline", "solution"),
        run=lambda check, case: cases.append(case),
    )
    large.check_large(checker, OPS[op], 4096)
    return cases


@pytest.mark.parametrize("op", OPS)
def test_outputs_have_more_elements_than_32_bits_count_and_more_rows_than_a_grid(
    monkeypatch: pytest.MonkeyPatch, op: str
) -> None:
    cases = asked(monkeypatch, op, "cuda:0", 1 << 40)
    assert [case.layout for case in cases] == list(OPS[op].layouts)
    for case in cases:
        for name in OPS[op].outputs:
            shape = OPS[op].shape(name, case.layout, case.axes)
            assert 1 << 31 < math.prod(shape) < (1 << 31) + (1 << 24)
            assert math.prod(shape[:-1]) > 65535


def test_what_a_device_has_no_room_for_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    op = OPS["residual_gate_add"]
    assert asked(monkeypatch, op.name, "cuda:0", 8 << 30) == []
    assert asked(monkeypatch, op.name, "cpu", 1 << 40) == []
    full, row = asked(monkeypatch, op.name, "cuda:0", 1 << 40)
    between = 36 << 30
    assert [one.layout for one in asked(monkeypatch, op.name, "cuda:0", between)] == ["row"]
    assert (full.layout, row.layout) == ("full", "row")
