# SPDX-License-Identifier: Apache-2.0
"""results.jsonl: every record on disk before the next is made, and every later edit found."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

from bench.record.schema import ENVELOPE, FIRST_CHAIN, SCHEMA, Order, RecordError, open_line, seal
from bench.task.errors import UserError

LARGEST_FILE = 256 << 20
"""A full run with all its samples is a few MiB; more is not a results file."""


def utc_now() -> str:
    """The time in UTC as ISO 8601 with microseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def read_results(path: Path) -> list[dict[str, object]]:
    """All records of a results file, its schema, order and chain verified; UserError otherwise."""
    return parse_results(str(path), _read(path))


def parse_results(name: str, content: bytes) -> list[dict[str, object]]:
    """The same of a results file's bytes, which errors call by this name."""
    if not content:
        raise UserError(f"{name}: expected a results file, got an empty one")
    if not content.endswith(b"\n"):
        number = content.count(b"\n") + 1
        raise UserError(
            f"{name} line {number}: is cut off, as a crash leaves it; "
            "resume the run, which drops that line"
        )
    return _verify(name, content)


def is_complete(records: list[dict[str, object]]) -> bool:
    """Whether the run that wrote these records came to its end."""
    return bool(records) and records[-1]["kind"] == "end"


class ResultsFile:
    """An open results file that only grows; one writer at a time, kept by a lock on the file."""

    def __init__(
        self,
        path: Path,
        descriptor: int,
        records: list[dict[str, object]],
        clock: Callable[[], str],
    ) -> None:
        self.path = path
        self.records = records
        """What the file held when it was opened: empty for a new file."""
        self.written = list(records)
        """What it holds now."""
        self._descriptor = descriptor
        self._clock = clock
        self._order = Order()
        for record in records:
            self._order.admit(record)
        self._chain = str(records[-1]["digest"]) if records else FIRST_CHAIN

    @classmethod
    def create(cls, path: Path, clock: Callable[[], str] = utc_now) -> ResultsFile:
        """Open an empty file; an earlier results file at path is kept under its start time."""
        if os.path.lexists(path):
            _set_aside(path)
        with _user_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        _lock(path, descriptor)
        if os.fstat(descriptor).st_size:
            raise UserError(f"{path}: another run has just written to it; name another file")
        return cls(path, descriptor, [], clock)

    @classmethod
    def resume(cls, path: Path, clock: Callable[[], str] = utc_now) -> ResultsFile:
        """Open an unfinished file to go on with it; a last line cut off by a crash is dropped."""
        content = _read(path)
        whole = content[: content.rfind(b"\n") + 1]
        records = _verify(str(path), whole) if whole else []
        if not records:
            raise UserError(f"{path}: nothing to resume, no record in it; run without resuming")
        if is_complete(records):
            raise UserError(f"{path}: nothing to resume, the run is complete; start a new one")
        with _user_errors(path):
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        _lock(path, descriptor)
        os.ftruncate(descriptor, len(whole))
        return cls(path, descriptor, records, clock)

    def append(self, record: Mapping[str, object]) -> None:
        """Write one record through to the disk; RecordError when it may not stand here."""
        reserved = [key for key in ENVELOPE[1:] if key in record]
        if reserved or "kind" not in record:
            raise RecordError(f"expected kind and no {', '.join(ENVELOPE[1:])}, got {reserved}")
        fields = {key: value for key, value in record.items() if key != "kind"}
        head = {"kind": record["kind"], "schema": SCHEMA, "time": self._clock()}
        line, digest = seal({**head, "chain": self._chain, **fields})
        self._order.admit(record)
        self._write(line)
        self.written.append(dict(record))
        self._chain = digest

    def close(self) -> None:
        """Close the file and let go of its lock."""
        os.close(self._descriptor)

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        size = os.fstat(self._descriptor).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise UserError(
                f"{self.path}: {error.strerror}; the records before this one are kept, "
                "make room and resume"
            ) from None


def _verify(name: str, content: bytes) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    order, chain = Order(), FIRST_CHAIN
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            record = open_line(line + b"\n")
            if record["chain"] != chain:
                raise RecordError("does not follow the line before it: dropped, added or moved")
            order.admit(record)
        except RecordError as error:
            raise UserError(f"{name} line {number}: {error}") from None
        records.append(record)
        chain = str(record["digest"])
    return records


def _read(path: Path) -> bytes:
    with _user_errors(path):
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: expected a results file, got something not a file")
        if path.stat().st_size > LARGEST_FILE:
            raise UserError(f"{path}: expected at most {LARGEST_FILE} bytes of results")
        return path.read_bytes()


def _set_aside(path: Path) -> None:
    """Rename an earlier results file to <stem>.<its start time><suffix>; refuse any other file."""
    content = _read(path)
    if not content:
        return
    try:
        start = str(open_line(content.split(b"\n")[0] + b"\n")["time"])
        stamp = datetime.fromisoformat(start).strftime("%Y-%m-%dT%H-%M-%SZ")
    except ValueError:
        raise UserError(
            f"{path}: expected a results file or none, got another file, which is left as it "
            "is; name another file"
        ) from None
    with _user_errors(path), path.open("rb") as held:
        _lock(path, held.fileno())
        kept = path.with_name(f"{path.stem}.{stamp}{path.suffix}")
        again = 1
        while os.path.lexists(kept):
            again += 1
            kept = path.with_name(f"{path.stem}.{stamp}-{again}{path.suffix}")
        path.rename(kept)


@contextmanager
def _user_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{path}: expected a readable and writable file, got: {error.strerror}; name another"
        ) from None


def _lock(path: Path, descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UserError(f"{path}: in use by another run; name another file") from None
