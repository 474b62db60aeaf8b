# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.record.results import ResultsFile, is_complete, read_results
from bench.record.schema import FIRST_CHAIN, RecordError, seal
from bench.record.status import Status
from bench.task.errors import UserError

RUN = {"kind": "run", "config": {"trials": 7}}
BASELINE = {"kind": "check", "workload": "row-1", "side": "baseline", "status": Status.PASSED}
SOLUTION = {**BASELINE, "side": "solution"}
BENCH = {"kind": "bench", "workload": "row-1", "status": "PASSED", "samples_us": [1.25, 0.1 + 0.2]}
END = {"kind": "end", "rows": 1}
COMPLETE = (RUN, BASELINE, SOLUTION, BENCH, END)
START = "2026-11-30T22:01:07.123456+00:00"


def write(path, records=COMPLETE):
    with ResultsFile.create(path, clock=lambda: START) as results:
        for record in records:
            results.append(record)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


def test_records_come_back_as_written_with_nothing_rounded(path):
    records = read_results(write(path))
    assert [record["kind"] for record in records] == ["run", "check", "check", "bench", "end"]
    assert records[3]["samples_us"] == [1.25, 0.1 + 0.2]
    assert records[1]["status"] == "PASSED"
    assert all(record["schema"] == 1 and record["time"] == START for record in records)
    assert is_complete(records)
    assert not is_complete(records[:-1])


def test_kind_is_the_first_key_of_each_line(path):
    assert all(line.startswith(b'{"kind":"') for line in lines_of(write(path)))


def test_chain_is_the_digest_of_the_line_before(path):
    lines = lines_of(write(path))
    chains = [json.loads(line)["chain"] for line in lines]
    digests = []
    for line in lines:
        body, digest = line[:-2].rsplit(b',"digest":', 1)
        digests.append(json.loads(digest))
        assert digests[-1] == hashlib.sha256(body + b"}").hexdigest()
    assert chains == [FIRST_CHAIN, *digests[:-1]]


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_edited_line_is_named(path, number):
    lines = lines_of(write(path))
    lines[number - 1] = lines[number - 1].replace(START[:4].encode(), b"2027", 1)
    path.write_bytes(b"".join(lines))
    with pytest.raises(UserError, match=f"line {number}: was altered"):
        read_results(path)


@pytest.mark.parametrize(
    ("alter", "number"),
    [
        (lambda lines: lines[:1] + lines[2:], 2),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], 2),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], 4),
    ],
    ids=["dropped", "moved", "doubled"],
)
def test_dropped_or_moved_line_is_named(path, alter, number):
    path.write_bytes(b"".join(alter(lines_of(write(path)))))
    with pytest.raises(UserError, match=f"line {number}: does not follow"):
        read_results(path)


def test_edited_line_with_a_new_digest_breaks_the_next(path):
    lines = lines_of(write(path))
    record = json.loads(lines[1])
    del record["digest"]
    lines[1] = seal({**record, "status": "CRASHED"})[0]
    path.write_bytes(b"".join(lines))
    with pytest.raises(UserError, match="line 3: does not follow"):
        read_results(path)


def test_line_written_after_the_end_is_named(path):
    lines = lines_of(write(path))
    last = json.loads(lines[-1])["digest"]
    more = {"kind": "profile", "schema": 1, "time": START, "chain": last}
    path.write_bytes(b"".join([*lines, seal(more)[0]]))
    with pytest.raises(UserError, match="line 6: expected nothing after kind end"):
        read_results(path)


def test_schema_of_the_future_is_named(path):
    future = {"kind": "run", "schema": 2, "time": START, "chain": FIRST_CHAIN}
    path.write_bytes(seal(future)[0])
    with pytest.raises(UserError, match="line 1: has schema 2"):
        read_results(path)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_is_refused_with_its_key(path, number):
    with (
        ResultsFile.create(path) as results,
        pytest.raises(RecordError, match=r"row\.samples_us\.1"),
    ):
        results.append({"kind": "run", "row": {"samples_us": [1.0, number]}})
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    "records",
    [
        (RUN, BENCH),
        (RUN, SOLUTION, BENCH),
        (RUN, BASELINE, {**SOLUTION, "status": "INCORRECT"}, BENCH),
        (RUN, BASELINE, SOLUTION, {**SOLUTION, "check": "guards", "status": "CRASHED"}, BENCH),
        (RUN, BASELINE, SOLUTION, {**BENCH, "workload": "row-2"}),
    ],
    ids=["unchecked", "one side", "incorrect", "one of many failed", "another row's"],
)
def test_bench_without_two_passed_checks_cannot_be_written(path, records):
    with ResultsFile.create(path) as results:
        for record in records[:-1]:
            results.append(record)
        with pytest.raises(RecordError, match="expected passed checks of both sides"):
            results.append(records[-1])
    assert len(read_results(path)) == len(records) - 1


def test_rounding_that_failed_does_not_stop_the_other(path):
    once, each = {"rounding": "once"}, {"rounding": "each_step"}
    checks = (RUN, {**BASELINE, **each}, {**SOLUTION, **each})
    failed = {**SOLUTION, **once, "status": "INCORRECT"}
    assert len(read_results(write(path, (*checks, failed, {**BENCH, **each})))) == 5
    with pytest.raises(RecordError, match="a check that is INCORRECT"):
        write(path, (*checks, failed, {**BENCH, **once}))
    with pytest.raises(RecordError, match="expected passed checks"):
        write(path, (*checks, {**BENCH, **once}))


def test_bench_without_two_passed_checks_cannot_be_read(path):
    chain, content = FIRST_CHAIN, b""
    for record in (RUN, BASELINE, BENCH):
        fields = {"kind": record["kind"], "schema": 1, "time": START, "chain": chain, **record}
        line, chain = seal(fields)
        content += line
    path.write_bytes(content)
    with pytest.raises(UserError, match="line 3: bench row-1: expected passed checks"):
        read_results(path)


def test_row_checked_again_and_passed_may_be_timed(path):
    failed = {**SOLUTION, "status": "TIMED_OUT"}
    assert len(read_results(write(path, (RUN, BASELINE, failed, SOLUTION, BENCH)))) == 5


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ((BASELINE,), "run exactly once and first"),
        ((RUN, RUN), "run exactly once and first"),
        ((RUN, END, BASELINE), "nothing after kind end"),
        ((RUN, {"kind": "gossip"}), "kind: expected one of run"),
        ((RUN, {**BASELINE, "status": "FINE"}), "'FINE' is no status"),
        ((RUN, {**BASELINE, "side": "judge"}), "side: expected baseline"),
        ((RUN, {"kind": "check", "side": None, "status": "PASSED"}), "as workload"),
        ((RUN, {**BASELINE, "chain": FIRST_CHAIN}), "expected kind and no"),
    ],
)
def test_record_that_may_not_stand_there_is_refused(path, records, message):
    with ResultsFile.create(path) as results:
        for record in records[:-1]:
            results.append(record)
        with pytest.raises(RecordError, match=message):
            results.append(records[-1])


def test_earlier_results_are_kept_under_their_start_time(path):
    first = write(path).read_bytes()
    second = write(path, (RUN, BASELINE)).read_bytes()
    write(path, (RUN,))
    assert path.with_name("results.2026-11-30T22-01-07Z.jsonl").read_bytes() == first
    assert path.with_name("results.2026-11-30T22-01-07Z-2.jsonl").read_bytes() == second
    assert len(read_results(path)) == 1


@pytest.mark.parametrize("content", [b"notes\n", b'{"kind":"run"}\n', b"\xff\xfe\n", b"\n"])
def test_foreign_file_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(UserError, match="another file, which is left"):
        ResultsFile.create(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_folder_at_the_path_is_refused(path):
    path.mkdir()
    with pytest.raises(UserError, match="not a file"):
        ResultsFile.create(path)


def test_parent_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(UserError, match="expected a readable and writable file"):
        ResultsFile.create(tmp_path / "results" / "a.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_one_sentence(path):
    with ResultsFile.create(path) as results:
        results.append(RUN)
        full = os.open("/dev/full", os.O_RDWR)
        os.dup2(full, results._descriptor)
        os.close(full)
        with pytest.raises(UserError, match=r"No space left.*make room and resume"):
            results.append(BASELINE)
    assert len(read_results(path)) == 1


def test_second_writer_is_refused(path):
    with ResultsFile.create(path) as results:
        results.append(RUN)
        with pytest.raises(UserError, match="in use by another run"):
            ResultsFile.create(path)
        with pytest.raises(UserError, match="in use by another run"):
            ResultsFile.resume(path)


def test_resumed_file_goes_on_where_a_crash_cut_it(path):
    write(path, (RUN, BASELINE, SOLUTION))
    with path.open("ab") as file:
        file.write(b'{"kind":"bench","sche')
    with pytest.raises(UserError, match="line 4: is cut off"):
        read_results(path)
    with ResultsFile.resume(path) as results:
        assert [record["kind"] for record in results.records] == ["run", "check", "check"]
        results.append(BENCH)
        results.append(END)
    assert is_complete(read_results(path))


def test_complete_or_missing_file_cannot_be_resumed(path):
    with pytest.raises(UserError, match="No such file"):
        ResultsFile.resume(path)
    path.write_bytes(b"")
    with pytest.raises(UserError, match="nothing to resume"):
        ResultsFile.resume(path)
    write(path)
    with pytest.raises(UserError, match="the run is complete"):
        ResultsFile.resume(path)


def test_each_record_is_on_disk_before_append_returns(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(path.read_bytes()))
    with ResultsFile.create(path) as results:
        results.append(RUN)
        results.append(BASELINE)
    assert [content.count(b"\n") for content in synced] == [1, 2]


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError):
        read_results(path)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(
    fields=st.dictionaries(st.sampled_from(["workload", "side", "status", "check"]), JSON_VALUES),
    kind=st.sampled_from(["run", "check", "bench", "end"]) | JSON_VALUES,
)
def test_any_json_is_read_or_refused_in_a_sentence(tmp_path_factory, fields, kind):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    first, digest = seal({"kind": "run", "schema": 1, "time": START, "chain": FIRST_CHAIN})
    record = {"kind": kind, "schema": 1, "time": START, "chain": digest, **fields}
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    second = hashlib.sha256(text.encode()).hexdigest()
    path.write_bytes(first + text[:-1].encode() + f',"digest":"{second}"}}\n'.encode())
    try:
        read_results(path)
    except UserError as error:
        assert "line 2" in str(error)


@given(fields=st.dictionaries(st.text().filter(str.isidentifier), JSON_VALUES))
def test_what_append_takes_the_reader_gives_back(tmp_path_factory, fields):
    path = tmp_path_factory.getbasetemp() / "round.jsonl"
    path.unlink(missing_ok=True)
    with ResultsFile.create(path) as results:
        try:
            results.append({"kind": "run", **fields})
        except RecordError:
            return
    record = read_results(path)[0]
    assert {key: record[key] for key in fields} == json.loads(json.dumps(fields))


@pytest.mark.parametrize(
    "line", [b"[" * 100_000 + b"\n", b'{"a":' * 5000 + b"\n", b"1" * 9999 + b"\n"]
)
def test_deep_or_huge_json_is_refused_in_a_sentence(path, line):
    path.write_bytes(line)
    with pytest.raises(UserError, match="line 1"):
        read_results(path)
