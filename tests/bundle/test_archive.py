# SPDX-License-Identifier: Apache-2.0
"""The opener: what was written comes back, and bytes of any other origin are one sentence."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.bundle.archive import END, read_archive, write_archive
from bench.bundle.files import collect_solution, read_file
from bench.bundle.members import (
    BUNDLE_BYTES_MAX,
    MANIFEST,
    MEMBERS_MAX,
    RESULTS,
    SOLUTION_FILE_BYTES_MAX,
    BundleError,
)
from bench.task.errors import UserError

MEMBERS = {
    "solution/build.py": b"x = 1\n",
    MANIFEST: b"{}\n",
    "solution/cpu/add.cc": b"int main() {}\n" * 50,
    RESULTS: b"",
    "solution/include/exactly_a_block.h": b"/" * 512,
}


def refusal(content: bytes) -> str:
    with pytest.raises(BundleError) as caught:
        read_archive(content)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 400
    return text


def tar_of(*entries: tarfile.TarInfo, content: bytes = b"") -> bytes:
    """What a common tar program writes."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for entry in entries:
            tar.addfile(entry, io.BytesIO(content))
    return file.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info


def test_members_come_back_whatever_their_order_and_any_tar_program_reads_them() -> None:
    content = write_archive(MEMBERS)
    assert content == write_archive(dict(reversed(MEMBERS.items())))
    assert read_archive(content) == MEMBERS
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        assert tar.getnames() == sorted(MEMBERS)
        assert {m.name: tar.extractfile(m).read() for m in tar} == MEMBERS


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/passwd.h", "expected a relative path"),
        ("../solution/a.h", "expected a relative path"),
        ("solution/../../a.h", "expected a relative path"),
        ("solution/./a.h", "expected a relative path"),
        ("solution//a.h", "expected a relative path"),
        ("solution/.hidden.h", "expected a relative path"),
        ("solution/a\\b.h", "expected a relative path"),
        ("solution/\u00e4.h", "expected a relative path"),
        ("solution/" + "a" * 90 + ".h", "at most 100 bytes"),
        ("baseline/residual_gate_add.py", "expected nothing beside solution/"),
        ("conftest.py", "expected nothing beside solution/"),
        ("solution/kernel.so", "of the kinds"),
        ("solution/__pycache__/build.py", "outside caches"),
        ("solution/cpu", "of the kinds"),
    ],
)
def test_a_name_that_no_member_may_have_is_neither_written_nor_read(name, reason) -> None:
    with pytest.raises(BundleError, match=reason):
        write_archive({name: b""})
    if name.isascii() and len(name) <= 100:
        assert reason in refusal(tar_of(entry(name)))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.DIRTYPE, "a folder"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.XHDTYPE, "another header"),
        (tarfile.GNUTYPE_SPARSE, "another header"),
        (tarfile.CONTTYPE, "another header"),
    ],
)
def test_what_is_not_a_plain_file_is_refused(kind, reason) -> None:
    assert reason in refusal(tar_of(entry("solution/a.h", kind)))


def test_times_owners_and_modes_have_no_place() -> None:
    for field, value in (("mtime", 1), ("uid", 7), ("mode", 0o755), ("uname", "me")):
        info = entry("solution/a.h")
        setattr(info, field, value)
        assert "another header" in refusal(tar_of(info))


def test_names_in_bytes_that_are_no_text_are_refused() -> None:
    content = write_archive({"solution/aa.h": b""}).replace(b"aa.h", b"\xff\xfe.h")
    assert r"\\xff\\xfe" in refusal(content)


def test_names_that_one_file_system_cannot_tell_apart_are_refused() -> None:
    for pair in (("solution/a.h", "solution/A.h"), ("solution/x/a.h", "solution/X/b.h")):
        with pytest.raises(BundleError, match="only in case"):
            write_archive(dict.fromkeys(pair, b""))
    with pytest.raises(BundleError, match="a file and a folder"):
        write_archive(dict.fromkeys(("solution/a.h", "solution/a.h/b.h"), b""))


def test_a_name_twice_or_out_of_order_is_refused() -> None:
    first, second = (write_archive({f"solution/{n}.h": b""})[: -len(END)] for n in "ab")
    assert "expected each name once" in refusal(first + first + END)
    assert "in the order of their names" in refusal(second + first + END)
    assert read_archive(first + second + END)


def test_binaries_are_refused_under_any_name() -> None:
    for content in (b"\x7fELF\0", b"\xff"):
        with pytest.raises(BundleError, match="expected text in UTF-8"):
            write_archive({"solution/kernel.cu": content})


def test_too_much_is_refused_before_it_is_read() -> None:
    assert "at most 1048576 bytes" in refusal(
        tar_of(entry("solution/a.h", size=SOLUTION_FILE_BYTES_MAX + 1), content=bytes(1 << 21))
    )
    stated = bytearray(write_archive({RESULTS: b""}))
    stated[124:135] = b"77777777777"  # eight gigabytes, none of which are there
    assert "expected at most" in refusal(bytes(stated))
    many = {f"solution/{n}.h": b"" for n in range(MEMBERS_MAX + 1)}
    with pytest.raises(BundleError, match="at most 256 members"):
        write_archive(many)
    blocks = b"".join(write_archive({name: b""})[:512] for name in sorted(many))
    assert "at most 256 members" in refusal(blocks + END)


def test_ten_gigabytes_of_zeros_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "zeros.tar"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(BundleError, match=f"at most {BUNDLE_BYTES_MAX} bytes in all"):
        read_file(path)
    assert "has bytes behind its end" in refusal(bytes(1 << 20))


def test_other_formats_and_cut_files_say_so() -> None:
    whole = write_archive(MEMBERS)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("a", "b")
    assert refusal(b"") == "expected a bundle, got an empty file"
    for other in (zipped.getvalue(), b"\x1f\x8b\x08" + bytes(600), b"no bundle", b"{}" * 400):
        assert "expected a plain tar" in refusal(other)
    for cut in (700, 1024, 3000, len(whole) - 1024, len(whole) - 1):
        assert "is cut off" in refusal(whole[:cut]), cut
    assert "behind its end" in refusal(whole + b"\0")
    hidden = write_archive({"solution/a.h": b"x"})
    assert "hidden behind its end" in refusal(hidden.replace(b"x\0", b"xy", 1))


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_what_is_no_file_at_all_is_the_users_mistake(tmp_path: Path, kind: str) -> None:
    path = tmp_path if kind == "folder" else tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)  # opening it would wait for ever
    with pytest.raises(UserError, match="expected a"):
        read_file(path)


def test_a_solution_folder_becomes_members_and_a_stray_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "build.py").write_text("x")
    (tmp_path / "cpu" / "a.cc").write_text("y")
    (tmp_path / "__pycache__" / "build.pyc").write_bytes(b"\0")
    assert collect_solution(tmp_path) == {"solution/build.py": b"x", "solution/cpu/a.cc": b"y"}
    (tmp_path / "cpu" / "a.so").write_bytes(b"\0")
    with pytest.raises(BundleError, match=r"solution/cpu/a\.so: expected solution files"):
        collect_solution(tmp_path)


WHOLE = write_archive(MEMBERS)
edits = st.lists(
    st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=8)), max_size=4
)


@given(edits, st.integers(0, 3000), st.binary(max_size=600))
@example([], 0, b"")
@settings(max_examples=400, deadline=None)
def test_bytes_are_either_refused_or_exactly_what_would_be_written(edits, cut, behind) -> None:
    content = bytearray(WHOLE)
    for at, new in edits:
        content[at : at + len(new)] = new
    content = bytes(content[: len(content) - cut]) + behind
    try:
        members = read_archive(content)
    except BundleError:
        return
    assert write_archive(members) == content


@given(st.binary(max_size=2000))
@settings(max_examples=200, deadline=None)
def test_any_bytes_end_in_a_sentence(content) -> None:
    refusal(content)


@given(st.text(max_size=120))
@settings(max_examples=300, deadline=None)
def test_no_name_that_passes_leaves_the_folder(name) -> None:
    try:
        (read,) = read_archive(write_archive({f"solution/{name}": b""}))
    except BundleError:
        return
    assert ".." not in Path(read).parts and not Path(read).is_absolute()
    assert Path(read).parts[0] == "solution"
