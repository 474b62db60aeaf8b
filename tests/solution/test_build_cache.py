# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import time

import pytest
import torch

OP = "broadcast_add_4d"


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    modified = path.stat().st_mtime_ns
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(modified - 10**12, modified - 10**12))  # what a checkout or an unpack may do


def sum_of_ones(entry):
    a, b, out = torch.ones(1, 1, 2, 3), torch.ones(1, 4, 2, 3), torch.empty(1, 4, 2, 3)
    entry.call(a, b, out)
    return out.unique().tolist()


def test_an_edited_source_is_served_in_the_same_process_though_it_looks_older(builder):
    assert sum_of_ones(builder.load()) == [2]
    edit(builder.source, "load(a + column + i, lanes) +", "load(a + column + i, lanes) *")
    assert sum_of_ones(builder.load()) == [1]


def test_an_edited_header_is_served_in_the_same_process_though_it_looks_older(builder):
    assert sum_of_ones(builder.load()) == [2]
    edit(builder.header, "Storage<T>::load(source);", "Storage<T>::load(source) + Lanes{} ;")
    edit(builder.folder / "include/simd.h", "a.first + b.first", "a.first - b.first")
    edit(builder.folder / "include/simd.h", "a.second + b.second", "a.second - b.second")
    assert sum_of_ones(builder.load()) == [0]


def test_an_unchanged_folder_is_not_built_again_and_loads_in_a_tenth_of_a_second(builder):
    first, second = builder.build(), builder.build()
    assert (first.cached, second.cached) == (False, True)
    assert first.seconds > 0 and second.seconds == 0
    assert first.path == second.path and first.command == second.command
    started = time.monotonic()
    builder.load()
    assert time.monotonic() - started < 0.1


def test_flags_rounding_and_compiler_are_part_of_the_key(builder, tmp_path, monkeypatch):
    paths = {
        builder.build().path,
        builder.build(flags=("-O1",)).path,
        builder.build(rounding="each_step").path,
    }
    other = tmp_path / "other-g++"
    other.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "another 1.0" || exec g++ "$@"\n')
    other.chmod(0o755)
    monkeypatch.setenv("CXX", str(other))
    paths.add(builder.build().path)
    other.write_text(other.read_text().replace("another 1.0", "another 1.1"))  # an upgrade
    paths.add(builder.build().path)
    assert len(paths) == 5


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("importlib.metadata.version", lambda name: "999"),
        ("platform.machine", lambda: "another"),
    ],
)
def test_the_version_of_tvm_ffi_and_the_processor_are_part_of_the_key(
    asked, answer, builder, monkeypatch
):
    first = builder.build().path
    builder.forget()
    with monkeypatch.context() as patch:
        patch.setattr(asked, answer)
        assert builder.build().path != first
    builder.forget()
    assert builder.build().path == first


def test_what_was_built_lies_in_the_cache_alone(builder):
    before = sorted(p for p in builder.folder.rglob("*") if "__pycache__" not in p.parts)
    builder.build()
    after = sorted(p for p in builder.folder.rglob("*") if "__pycache__" not in p.parts)
    assert before == after
    assert sorted(p.suffix for p in builder.cache.iterdir()) == [".lock", ".so"]


def test_a_compile_error_is_raised_in_the_compilers_own_words(builder):
    edit(builder.source, "kOut };", "kOut }; undeclared_type broken;")
    with pytest.raises(builder.Error) as caught:
        builder.build()
    assert f"{builder.source} does not compile" in str(caught.value)
    assert "undeclared_type" in str(caught.value) and "does not name a type" in str(caught.value)
    assert not list(builder.cache.glob("*.so"))


def test_an_unwritable_cache_is_named(builder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(builder.Error, match=r"cannot write builds to .*file/inside"):
        builder.build(cache=tmp_path / "file" / "inside")


def test_a_back_end_without_the_op_says_which_have_it(builder):
    with pytest.raises(NotImplementedError) as caught:
        builder.build(language="triton")
    assert (
        str(caught.value) == f"competitor/triton has no {OP}; competitor/cuda, competitor/cpu have"
    )
    with pytest.raises(NotImplementedError, match="competitor/cpu has no soft_max; none has"):
        builder.build("soft_max")


def test_a_triton_file_is_loaded_as_it_is(builder):
    folder = builder.folder / "triton"
    folder.mkdir()
    (folder / f"{OP}.py").write_text(f"def {OP}(a, b, out):\n    return 'called'\n")
    entry = builder.load(language="triton")
    assert entry.call(1, 2, 3) == "called" and entry.plan is None


def test_an_unknown_rounding_is_refused(builder):
    with pytest.raises(ValueError, match="rounding: expected once or each_step, got 'twice'"):
        builder.build(rounding="twice")


def test_a_source_without_the_export_is_told_what_it_lacks(builder):
    edit(builder.source, "SOLUTION_EXPORT(broadcast_add_4d,", "SOLUTION_EXPORT(other,")
    with pytest.raises(builder.Error, match="exports no broadcast_add_4d; end it with SOLUTION"):
        builder.load()
