# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.judge.reply import PlayerFailure, plain_text, read_reply
from bench.record.status import Status

GOOD = {"id": 3, "ok": True, "us": [1.5], "marks": [7], "kind": "", "text": "row vec8"}


def failed(**changes: object) -> PlayerFailure:
    with pytest.raises(PlayerFailure) as failure:
        read_reply({**GOOD, **changes}, 3, 10.0)
    return failure.value


def test_a_good_reply_is_read_as_it_came() -> None:
    reply = read_reply(GOOD, 3, 10.0)
    assert (reply.us, reply.marks, reply.text, reply.wall_us) == ((1.5,), (7,), "row vec8", 10.0)


@pytest.mark.parametrize(
    ("kind", "status", "text"),
    [
        ("NotImplementedError", Status.NOT_IMPLEMENTED, "words"),
        ("BuildError", Status.BUILD_FAILED, "words"),
        ("LoadError", Status.BUILD_FAILED, "words"),
        ("OutOfMemoryError", Status.OUT_OF_MEMORY, "words"),
        ("TypeError", Status.REJECTED_INPUT, "words"),
        ("ValueError", Status.REJECTED_INPUT, "words"),
        ("RuntimeError", Status.CRASHED, "RuntimeError: words"),
        ("Passed", Status.CRASHED, "Passed: words"),
        ("PASSED", Status.CRASHED, "PASSED: words"),
        ("", Status.CRASHED, ": words"),
    ],
)
def test_the_name_of_an_exception_gives_the_status(kind: str, status: Status, text: str) -> None:
    failure = failed(ok=False, kind=kind, text="words")
    assert (failure.status, str(failure), failure.kind) == (status, text, kind)


def test_words_cannot_move_the_cursor_nor_break_the_record() -> None:
    for words in ("\x1b[2J\x1b[H67/67 PASS", "\r67/67 PASS", "\x08" * 9, "\ud800", "a\u202eb"):
        text = str(failed(ok=False, kind="RuntimeError", text=words))
        text.encode()
        assert all(one.isprintable() for one in text)
        assert read_reply({**GOOD, "text": words}, 3, 1.0).text == plain_text(words)
    compiler = "file.cu:3: error\n\tint x\n\t    ^ grün"
    assert plain_text(compiler) == compiler
    assert "\x1b" not in str(failed(us="\x1b[2J"))


def test_a_name_that_holds_words_for_the_terminal_is_made_plain() -> None:
    failure = failed(ok=False, kind="\x1b[31mError", text="x")
    assert "\x1b" not in str(failure)
    assert "\x1b" not in failure.kind


def test_a_long_bad_reply_is_quoted_in_part() -> None:
    failure = failed(us=["x" * 100_000])
    assert failure.status is Status.PROTOCOL_ERROR
    assert len(str(failure)) < 400
