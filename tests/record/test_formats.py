# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path

from bench.record.machine import THROTTLES
from bench.record.schema import ENVELOPE, KINDS
from bench.record.status import Status

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text()


def section(title):
    return TEXT.split(f"### {title}\n")[1].split("\n##")[0]


def first_column(text):
    return re.findall(r"^\| `(\w+)` \|", text, re.M)


def test_formats_document_lists_every_kind_and_key_in_order():
    assert tuple(first_column(section("Kinds"))) == KINDS
    assert tuple(first_column(section("Keys of every record"))) == ENVELOPE


def test_formats_document_lists_every_status():
    assert re.findall(r"`(\w+)`", section("Status")) == [status.value for status in Status]


def test_formats_document_lists_every_throttle():
    listed = section("The machine's state").split("speed away:")[1].split(";")[0]
    assert tuple(re.findall(r"`(\w+)`", listed)) == THROTTLES
