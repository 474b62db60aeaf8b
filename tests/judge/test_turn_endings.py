# SPDX-License-Identifier: Apache-2.0
"""Every way in which a call can go wrong ends as its own status, and the next call is judged."""

from __future__ import annotations

import time

import pytest

from bench.judge.turn import Window
from bench.record.status import Status
from tests.judge.table import Table

# One process answers all of these: none of them ends it.
LIVING = {
    "honest": ("right()", Status.PASSED, ""),
    "talkative": ("right(); print('x' * 1_000_000)", Status.PASSED, ""),
    "skipped": ("pass", Status.INCORRECT, "no store at all"),
    "short by a row": (
        "t = out.clone(); right(); out[:, -1] = t[:, -1]",
        Status.INCORRECT,
        "nothing was",
    ),
    "short by an element": (
        "t = out.clone(); right(); out[..., -1, -1] = t[..., -1, -1]",
        Status.INCORRECT,
        "first at [0, 0, 8, 39]",
    ),
    "wrong by a step": (
        "right(); out.view(torch.int16)[0, 5, 7] += 1",
        Status.INCORRECT,
        "rounding",
    ),
    "wrong everywhere": ("right(); out.mul_(-1)", Status.INCORRECT, "formula"),
    "not a number": ("out.fill_(float('nan'))", Status.INCORRECT, "got nan"),
    "infinite": ("right(); out[0, 0, 0] = 1e39", Status.INCORRECT, "got inf"),
    "last call's answer": (
        "out.copy_(kept['answer']) if 'answer' in kept else right(); kept['answer'] = out.clone()",
        Status.INCORRECT,
        "first at [1, 0, 0, 0]",
    ),
    "a byte behind": (
        "right(); end = 2 * (out.storage_offset() + out.numel())\n"
        "out.view(torch.uint8).as_strided((1,), (1,), end).add_(1)",
        Status.GUARD_OVERWRITTEN,
        "after out in slot 0, byte 0 of 256",
    ),
    "an element ahead": (
        "right(); out.as_strided((1,), (1,), out.storage_offset() - 1).fill_(3)",
        Status.GUARD_OVERWRITTEN,
        "before out in slot 0, byte 254 of 256",
    ),
    "an element behind an input": (
        "right(); first.as_strided((1,), (1,), first.storage_offset() + first.numel()).fill_(3)",
        Status.GUARD_OVERWRITTEN,
        "after residual in slot 0",
    ),
    "an input changed": ("right(); first[0, 4, 4] += 1", Status.INPUT_MODIFIED, "inputs"),
    "an input scaled and used": ("first.mul_(2); right()", Status.INPUT_MODIFIED, "inputs"),
    "a refusal": ("raise ValueError('residual: no')", Status.REJECTED_INPUT, "residual: no"),
    "no room": (
        "raise type('OutOfMemoryError', (RuntimeError,), {})('2 TiB')",
        Status.OUT_OF_MEMORY,
        "2 TiB",
    ),
}
ENDING = {
    "an exception": ("raise KeyError('gate')", Status.CRASHED, "KeyError: 'gate'"),
    "a child that runs on": (
        "import subprocess; right(); subprocess.Popen(['sleep', '60'])",
        Status.LEFT_BEHIND,
        "sleep",
    ),
    "silence": (
        "print('working', flush=True); time.sleep(60)",
        Status.TIMED_OUT,
        "0.5 s; last words",
    ),
}


@pytest.mark.parametrize("name", list(LIVING))
def test_a_call_that_goes_wrong_has_its_own_status_and_words(table: Table, name: str) -> None:
    at_call, status, words = LIVING[name]
    pid = table.seated("solution").pid
    finding = table.turn(at_call)
    assert (finding.status, words in finding.text) == (status, True), finding
    assert finding.passed is (status is Status.PASSED)
    assert table.turn().passed, "the next call is honest again"
    assert table.seated("solution").pid == pid


@pytest.mark.parametrize("name", ENDING)
def test_a_player_that_ends_is_replaced_for_the_next_call(table: Table, name: str) -> None:
    at_call, status, words = ENDING[name]
    pid = table.seated("solution").pid
    if status is Status.TIMED_OUT:
        assert table.turn().passed
        table.limit(0.5)
    started = time.monotonic()
    finding = table.turn(at_call)
    assert time.monotonic() - started < 10
    assert (finding.status, words in finding.text) == (status, True), finding
    assert table.turn().passed
    assert table.seated("solution").pid != pid


def test_the_first_bad_element_is_told_with_its_slot_and_position(table: Table) -> None:
    finding = table.turn("right(); out[0, 7, 31] = 500", table.case(slots=3), Window(1, 2))
    assert (finding.status, finding.at) == (Status.INCORRECT, (1, 0, 7, 31))
    assert "1 wrong" not in finding.text, "both slots were looked at"
    assert "first at [1, 0, 7, 31]" in finding.text
    assert "got 500.0" in finding.text


@pytest.mark.parametrize("how", ["loop", "each"])
def test_every_call_of_a_window_runs_on_its_own_slot_and_is_looked_at(
    table: Table, how: str
) -> None:
    case = table.case(slots=5)
    us, finding = table.sampled("right()", case, Window(1, 3, 2, how, 0, 2))
    assert finding.passed, finding
    assert len(us) == (1 if how == "loop" else 6)
    assert finding.elements == 3 * 9 * 40
    skip = "right() if out.storage_offset() != {} else None"
    placed = case.placed["out"]
    for slot in (1, 3):
        offset = (placed.offset + slot * placed.slot_bytes) // 2
        finding = table.turn(skip.format(offset), case, Window(1, 3, 2, how))
        assert (finding.status, finding.at) == (Status.INCORRECT, (slot, 0, 0, 0))


def test_work_that_a_call_leaves_for_later_is_a_late_write(table: Table) -> None:
    """All outputs are complete and right when the player answers, but one was not in time."""
    case = table.case(slots=2)
    late = f"""
        import threading
        if out.storage_offset() == {case.placed["out"].offset // 2}:
            threading.Timer(0.02, right).start()
        else:
            time.sleep(0.4)
            right()
    """
    finding = table.turn(late, case, Window(0, 2, 1, "each"))
    assert finding.status is Status.LATE_WRITE
    assert "at each call's return" in finding.text


def test_a_plan_is_the_sides_own_words(table: Table) -> None:
    assert table.bind("solution", table.case()).text == "fake cpu each_step (1, 9, 40)"


def test_a_time_that_the_judge_did_not_wait_for_cannot_be_true(table: Table) -> None:
    """The player's own clock is in the solution's reach; the judge's is not."""
    patch = """
        right()
        def clock():
            kept["now"] = kept.get("now", 0) + {step}
            return kept["now"]
        time.perf_counter_ns = clock
    """
    try:
        for step in (10**12, 0, -1000):
            table.turn(patch.format(step=step))
            finding = table.turn("right()")
            assert finding.status is Status.IMPOSSIBLE_TIME, (step, finding)
            assert "cannot be true" in finding.text
    finally:
        table.leave("solution")
