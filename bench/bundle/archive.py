# SPDX-License-Identifier: Apache-2.0
"""A bundle's bytes: a plain tar in one canonical form, so that nothing can hide in it.

Tar, not zip: it has one header a member and no second directory that could disagree with it. Plain:
compressors of different versions give different bytes, and nothing unpacks to more than itself, so
the ratio of any bomb is 1. A bundle is read only if it is, byte for byte, what would be written for
its members: no links, devices, extended headers, times, owners or bytes between and behind.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from bench.bundle.members import (
    BUNDLE_BYTES_MAX,
    MEMBERS_MAX,
    BundleError,
    bytes_max,
    check_member,
    check_names,
)

BLOCK = 512
END = bytes(2 * BLOCK)
TYPES = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"5": "a folder",
    b"6": "a pipe",
}


def write_archive(members: Mapping[str, bytes]) -> bytes:
    """The tar of these members by name; BundleError where one may not be there."""
    _check(members)
    parts: list[bytes] = []
    for name in sorted(members):
        content = members[name]
        parts += [_header(name, len(content)), content, bytes(-len(content) % BLOCK)]
    whole = b"".join([*parts, END])
    if len(whole) > BUNDLE_BYTES_MAX:
        raise BundleError(f"expected at most {BUNDLE_BYTES_MAX} bytes in all, got {len(whole)}")
    return whole


def read_archive(content: bytes) -> dict[str, bytes]:
    """The members of a bundle's bytes; BundleError unless they are in the canonical form."""
    if not content:
        raise BundleError("expected a bundle, got an empty file")
    if len(content) > BUNDLE_BYTES_MAX:
        raise BundleError(f"expected at most {BUNDLE_BYTES_MAX} bytes in all, got {len(content)}")
    members: dict[str, bytes] = {}
    at, last = 0, ""
    while content[at : at + BLOCK].strip(b"\0"):
        name, size = _open_header(content[at : at + BLOCK], first=at == 0)
        if name in members:
            raise BundleError(f"{name}: expected each name once, got it twice")
        if name < last:
            raise BundleError(f"{name}: expected members in the order of their names")
        start, end = at + BLOCK, at + BLOCK + size
        at = end + -size % BLOCK
        if content[end:at].strip(b"\0"):
            raise BundleError(f"{name}: has bytes hidden behind its end")
        members[name], last = content[start:end], name
    if content[at:] != END:
        cut = len(content) - at < len(END)
        raise BundleError("is cut off" if cut else "has bytes behind its end")
    _check(members)
    return members


def _check(members: Mapping[str, bytes]) -> None:
    if len(members) > MEMBERS_MAX:
        raise BundleError(f"expected at most {MEMBERS_MAX} members, got {len(members)}")
    for name, content in members.items():
        check_member(name, content)
    check_names(members)


def _open_header(block: bytes, *, first: bool) -> tuple[str, int]:
    """Name and size that a member's header states, if it is the header written for them."""
    name, size = block[:100].rstrip(b"\0"), block[124:136]
    if len(block) < BLOCK or block[257:262] != b"ustar" or not re.fullmatch(b"[0-7]{11}\0", size):
        if first:
            raise BundleError("expected a plain tar that bench/submit.py wrote, got something else")
        raise BundleError("is cut off or damaged: a header is expected where none is")
    shown = name.decode("ascii", "backslashreplace")
    if block[156:157] in TYPES:
        raise BundleError(f"{shown!r:.120}: expected plain files, got {TYPES[block[156:157]]}")
    stated = int(size[:11], 8)
    limit = bytes_max(shown)
    if stated > limit:
        raise BundleError(f"{shown}: expected at most {limit} bytes, got {stated}")
    if block != _header(shown, stated):
        raise BundleError(f"{shown}: has another header than bench/submit.py writes")
    return shown, stated


def _header(name: str, size: int) -> bytes:
    """The ustar header of a plain file: mode 644, owner 0, time 0."""
    fields = (b"0000644\0", b"0000000\0", b"0000000\0", b"%011o\0" % size, b"%011o\0" % 0)
    front = struct.pack("100s8s8s8s12s12s", name.encode("ascii"), *fields)
    back = struct.pack("1s100s6s2s32s32s8s8s155s12x", b"0", b"", b"ustar\0", b"00", *[b""] * 5)
    total = sum(front) + sum(back) + 8 * ord(" ")
    return front + b"%06o\0 " % total + back
