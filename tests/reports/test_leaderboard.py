# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench import leaderboard
from bench.task.errors import UserError
from tests.reports.made_reviews import hand_in_bundle

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def hand_in(tmp_path):
    """Puts a bundle with its review into the folder."""

    def put(name, *geomean, **more):
        hand_in_bundle(tmp_path / name, *geomean, **more)

    return put


def ranks(folder, capsys):
    assert leaderboard.main([str(folder), "--json"]) == 0
    boards = json.loads(capsys.readouterr().out)
    return [
        (one["device"], one["rounding"], [(x["rank"], x["name"]) for x in one["entries"]])
        for one in boards
    ]


def test_overlapping_intervals_share_a_rank_and_a_chain_of_overlaps_does_not_lift_the_last(
    hand_in, tmp_path, capsys
):
    """`c` overlaps `b`, `b` overlaps `a`, but `a` lies wholly above `c`."""
    hand_in("c", 1.0, 1.3, 1.6)
    hand_in("a", 2.0, 2.2, 2.4)
    hand_in("b", 1.5, 1.9, 2.1)
    hand_in("d", 0.8, 0.85, 0.9)
    (board,) = ranks(tmp_path, capsys)
    assert board[2] == [(1, "a"), (1, "b"), (2, "c"), (4, "d")]


def test_a_wide_interval_stands_with_those_it_cannot_be_told_from(hand_in, tmp_path, capsys):
    """Order by rank, not by value: `wide` has the lowest value and the first rank."""
    hand_in("a", 2.0, 2.1, 2.2)
    hand_in("b", 1.7, 1.8, 1.9)
    hand_in("wide", 0.5, 1.5, 2.5)
    leaderboard.main([str(tmp_path)])
    printed = capsys.readouterr().out
    assert re.findall(r"^  (\d) +(\w+)", printed, re.M) == [("1", "a"), ("1", "wide"), ("2", "b")]


def test_devices_and_roundings_are_apart(hand_in, tmp_path, capsys):
    hand_in("a", 2.0, 2.1, 2.2)
    hand_in("b", 1.0, 1.1, 1.2, device="NVIDIA B200")
    hand_in("c", 1.0, 1.1, 1.2, rounding="each_step")
    assert ranks(tmp_path, capsys) == [
        ("NVIDIA B200", "once", [(1, "b")]),
        ("NVIDIA H200", "each_step", [(1, "c")]),
        ("NVIDIA H200", "once", [(1, "a")]),
    ]


@pytest.mark.parametrize("times", [("2026-01-01", "2026-02-01"), ("2026-02-01", "2026-01-01")])
def test_of_one_solution_the_newest_run_counts(hand_in, tmp_path, capsys, times):
    hand_in("a", 1.0, 1.1, 1.2, solution="same", time=times[0])
    hand_in("b", 2.0, 2.1, 2.2, solution="same", time=times[1])
    (board,) = ranks(tmp_path, capsys)
    assert board[2] == [(1, "b" if times[1] > times[0] else "a")]


@pytest.mark.parametrize("verdict", ["REJECTED", "NOT_REPRODUCED", "NOT_VERIFIABLE_HERE"])
def test_what_was_not_accepted_is_listed_and_not_ranked(hand_in, tmp_path, capsys, verdict):
    hand_in("a", 2.0, 2.1, 2.2, verdict=verdict)
    assert ranks(tmp_path, capsys) == []
    leaderboard.main([str(tmp_path)])
    printed = capsys.readouterr().out
    assert re.search(rf"a +{verdict}", printed)
    assert ("it does not build" in printed) == (verdict == "REJECTED")


def test_documents_escape_what_a_submitter_wrote(hand_in, tmp_path, monkeypatch):
    document, page = tmp_path / "leaderboard.md", tmp_path / "page.html"
    monkeypatch.setattr(leaderboard, "DOCUMENT", document)
    hand_in("a", 2.0, 2.1, 2.2, note="x | [y](http://z) <script>alert(1)</script>")
    assert leaderboard.main([str(tmp_path), "--write", f"--html={page}"]) == 0
    assert "<script" not in page.read_text() and "&lt;script" in page.read_text()
    (line,) = [one for one in document.read_text().splitlines() if "`a`" in one]
    assert "<script" not in line and "](" not in line
    assert len(re.findall(r"(?<!\\)\|", line)) == 8
    assert leaderboard.main([str(tmp_path), "--check"]) == 0
    hand_in("b", 2.0, 2.1, 2.2)
    assert leaderboard.main([str(tmp_path), "--check"]) == 1


def test_committed_leaderboard_is_what_the_committed_reviews_give():
    assert leaderboard.main(["--check"]) == 0


def test_a_review_without_its_bundle_is_refused(hand_in, tmp_path):
    hand_in("a", 2.0, 2.1, 2.2, digest="0" * 64)
    with pytest.raises(UserError, match=r"a/review\.json: expected the bundle"):
        leaderboard.main([str(tmp_path)])


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 2}', "\udc80", "[" * 100_000])
def test_a_review_that_is_none_is_one_sentence(tmp_path, text):
    (tmp_path / "review.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError, match=r"review\.json: expected a review"):
        leaderboard.main([str(tmp_path)])


@pytest.mark.parametrize("key", ["device", "headlines", "time"])
def test_a_review_that_lacks_something_is_one_sentence(hand_in, tmp_path, key):
    hand_in("a", 2.0, 2.1, 2.2)
    path = tmp_path / "a" / "review.json"
    review = json.loads(path.read_text())
    del review["claimed"][key]
    path.write_text(json.dumps(review))
    with pytest.raises(UserError, match=rf"a/review\.json.*{key}"):
        leaderboard.main([str(tmp_path)])


def test_a_folder_that_is_none_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="expected a folder"):
        leaderboard.main([str(tmp_path / "none")])
