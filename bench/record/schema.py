# SPDX-License-Identifier: Apache-2.0
"""What a record must hold, and the one line of bytes that it is written as."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping

from bench.record.status import Status
from bench.task.side import SIDES

SCHEMA = 1
FIRST_CHAIN = "0" * 64
KINDS = (
    "run",
    "resume",
    "check",
    "trials",
    "bench",
    "profile",
    "end",
)
ENVELOPE = ("kind", "schema", "time", "chain", "digest")
"""The file's own keys; `chain` is the digest of the record before, `digest` its own."""


class RecordError(ValueError):
    """A record that may not stand in a results file where it stands."""


def encode(record: Mapping[str, object]) -> bytes:
    """The record's canonical JSON: declared key order, no spaces, UTF-8, no NaN or infinity."""
    try:
        text = json.dumps(record, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode()
    except RecursionError:
        raise RecordError("expected a flat record, got one nested too deeply") from None
    except ValueError as error:
        where = _unstorable(record) or "record"
        raise RecordError(f"{where}: expected finite numbers and plain text ({error})") from None


def seal(record: Mapping[str, object]) -> tuple[bytes, str]:
    """The record's whole line, its digest appended, and that digest."""
    body = encode(record)
    digest = hashlib.sha256(body).hexdigest()
    return body[:-1] + f',"digest":"{digest}"}}\n'.encode(), digest


def open_line(line: bytes) -> dict[str, object]:
    """The record a line holds, refused unless it is byte for byte what `seal` writes for it."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError("is not JSON") from None
    if not isinstance(record, dict):
        raise RecordError("is not a JSON object")
    if tuple(record)[:4] != ENVELOPE[:4] or record.get("kind") not in KINDS:
        raise RecordError("is not a record of this format")
    if type(record["schema"]) is not int or record["schema"] != SCHEMA:
        raise RecordError(f"has schema {record['schema']!r}; this program reads schema {SCHEMA}")
    body = {key: value for key, value in record.items() if key != "digest"}
    if seal(body)[0] != line:
        raise RecordError("was altered after it was written")
    return record


class Order:
    """The rules between records: run first, nothing after end, no bench without passed checks.

    A bench record needs every check of its workload passed, by the baseline and by the solution in
    the bench's own rounding; of checks of one name the last counts.
    """

    def __init__(self) -> None:
        self.last: str | None = None
        self._checks: dict[object, dict[tuple[object, ...], object]] = {}

    def admit(self, record: Mapping[str, object]) -> None:
        """Take the next record, or raise RecordError when it may not come here."""
        kind = record["kind"]
        if kind not in KINDS:
            raise RecordError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
        if (kind == "run") != (self.last is None):
            raise RecordError(f"expected kind run exactly once and first, got {kind}")
        if self.last == "end":
            raise RecordError(f"expected nothing after kind end, got {kind}")
        if kind == "check":
            self._admit_check(record)
        if kind == "bench":
            self._admit_bench(record)
        self.last = str(kind)

    def _admit_check(self, record: Mapping[str, object]) -> None:
        workload, side = _field(record, "workload"), _field(record, "side")
        if side is not None and side not in SIDES:
            raise RecordError(f"side: expected baseline, solution or null, got {side!r}")
        status = _status(record)
        name = (side, _plain(record.get("check")), _plain(record.get("rounding")))
        self._checks.setdefault(workload, {})[name] = status

    def _admit_bench(self, record: Mapping[str, object]) -> None:
        _status(record)
        workload, rounding = _field(record, "workload"), _plain(record.get("rounding"))
        checks = {
            name: status
            for name, status in self._checks.get(workload, {}).items()
            if name[0] != "solution" or name[2] == rounding
        }
        passed = {name[0] for name, status in checks.items() if status == Status.PASSED}
        failed = [status for status in checks.values() if status != Status.PASSED]
        if failed or not passed.issuperset(SIDES):
            found = f"a check that is {failed[0]}" if failed else f"{len(passed)} of them"
            raise RecordError(
                f"bench {workload}: expected passed checks of both sides before it, got {found}"
            )


def _field(record: Mapping[str, object], key: str) -> str | None:
    value = record.get(key, 0)
    if not isinstance(value, str) and value is not None:
        raise RecordError(f"{record['kind']}: expected text or null as {key}, got {value!r:.40}")
    return value


def _status(record: Mapping[str, object]) -> Status:
    value = record.get("status")
    try:
        return Status(value)
    except ValueError:
        raise RecordError(f"{record['kind']}: {value!r:.40} is no status") from None


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _unstorable(value: object, path: str = "", depth: int = 0) -> str | None:
    """Where in the record the first number or text stands that JSON cannot hold."""
    if depth > 32:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return path
    if isinstance(value, str) and not value.isascii():
        return path if any("\ud800" <= character <= "\udfff" for character in value) else None
    items: list[tuple[object, object]] = []
    if isinstance(value, Mapping):
        items = list(value.items())
    elif isinstance(value, (list, tuple)):
        items = list(enumerate(value))
    for key, item in items:
        found = _unstorable(item, f"{path}.{key}" if path else str(key), depth + 1)
        if found:
            return found
    return None
