# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil

import pytest
import torch

from bench.floor import entry
from bench.ops import OPS
from bench.task.op import Op

VECTOR = 32  # bytes that the CPU floor handles at once
AXES = {
    "few_bytes": {"B": 1, "L": 1, "D": 3, "S": 1, "P": 1},
    "odd_width": {"B": 2, "L": 7, "D": 259, "S": 5, "P": 3},
    "one_thread": {"B": 1, "L": 16, "D": 256, "S": 16, "P": 3},
    "all_cores": {"B": 1, "L": 126, "D": 2048, "S": 126, "P": 3},
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("floor")


def load(name, op, cache, architecture=None):
    options = {"language": "cpu", "rounding": "once", "flags": ()}
    return getattr(entry, name)(op, architecture=architecture, cache=cache, **options)


def call_of(op: Op, layout, axes, poison):
    generator = torch.Generator().manual_seed(1)
    inputs = [
        torch.randint(-(2**15), 2**15, op.shape(t, layout, axes), generator=generator).short()
        for t in op.inputs
    ]
    outputs = [torch.full(op.shape(t, layout, axes), poison).short() for t in op.outputs]
    return [one.view(torch.bfloat16) for one in inputs], [
        one.view(torch.bfloat16) for one in outputs
    ]


def raw(tensor):
    return tensor.view(torch.uint8).flatten()


def whole(tensor):
    return raw(tensor)[: raw(tensor).numel() // VECTOR * VECTOR]


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize(("op", "layout"), [(o, lay) for o in OPS for lay in OPS[o].layouts])
def test_stream_combines_every_byte_of_every_input(op, layout, name, cache):
    inputs, outputs = call_of(OPS[op], layout, AXES[name], 0)
    load("stream", op, cache).call(*inputs, *outputs)
    for out in outputs:
        expected = torch.zeros_like(raw(out))
        for one in inputs:
            expected[: whole(one).numel()] ^= whole(one)
        assert torch.equal(whole(out), expected[: whole(out).numel()])


@pytest.mark.parametrize("name", AXES)
@pytest.mark.parametrize("op", OPS)
def test_stream_writes_every_byte_of_its_output(op, name, cache):
    layout = next(iter(OPS[op].layouts))
    results = []
    for poison in (0x5A5A, -1):
        inputs, outputs = call_of(OPS[op], layout, AXES[name], poison)
        load("stream", op, cache).call(*inputs, *outputs)
        results.append(torch.cat([raw(out) for out in outputs]))
    assert torch.equal(*results)


def test_stream_reads_the_bytes_after_the_last_whole_vector(cache):
    results = []
    for change in (0, 1):
        inputs, (out,) = call_of(OPS["residual_gate_add"], "full", AXES["odd_width"], 0)
        raw(inputs[1])[-1] ^= change
        load("stream", "residual_gate_add", cache).call(*inputs, out)
        results.append(raw(out).clone())
    assert not torch.equal(*results)


def test_stream_past_the_caches_computes_the_same(cache, monkeypatch):
    axes = {"B": 1, "L": 8700, "D": 2048}  # an output of 36 MB
    inputs, (out,) = call_of(OPS["residual_gate_add"], "row", axes, 0)
    stream = load("stream", "residual_gate_add", cache)
    expected = raw(inputs[0]) ^ raw(inputs[1])
    expected[: whole(inputs[2]).numel()] ^= whole(inputs[2])
    stream.call(*inputs, out)
    assert torch.equal(raw(out), expected)
    assert stream.plan(*inputs, out).startswith("stream ")


def test_empty_leaves_its_output_as_it_was(cache):
    inputs, (out,) = call_of(OPS["residual_gate_add"], "full", AXES["odd_width"], 0x5A5A)
    before = raw(out).clone()
    empty = load("empty", "residual_gate_add", cache)
    empty.call(*inputs, out)
    assert torch.equal(raw(out), before)
    assert empty.plan(*inputs, out) == "empty"


@pytest.mark.parametrize("name", ["stream", "empty"])
def test_a_call_with_a_tensor_too_few_is_refused(name, cache):
    inputs, _ = call_of(OPS["residual_gate_add"], "full", AXES["odd_width"], 0)
    with pytest.raises(TypeError, match="expected 4 tensors, got 3 arguments"):
        load(name, "residual_gate_add", cache).call(*inputs)


def test_an_address_off_the_vectors_is_refused_and_not_rounded(cache):
    (a, b), (out,) = call_of(OPS["broadcast_add_4d"], "broadcast", AXES["one_thread"], 0)
    moved = torch.empty(b.numel() + 1, dtype=b.dtype)[1:].view(b.shape)
    with pytest.raises(ValueError, match="argument 1: expected an address that is a multiple"):
        load("stream", "broadcast_add_4d", cache).call(a, moved, out)


def test_what_is_built_is_not_built_again(cache, monkeypatch):
    first = entry.build("residual_gate_add", None, cache)
    written = first.stat().st_mtime_ns
    assert entry.build("residual_gate_add", None, cache) == first
    assert first.stat().st_mtime_ns == written
    assert entry.build("broadcast_add_4d", None, cache) != first


def test_an_edited_header_makes_another_build(cache, tmp_path, monkeypatch):
    before = entry.build("residual_gate_add", None, cache)
    copy = tmp_path / "floor"
    shutil.copytree(entry.FOLDER, copy)
    (copy / "flat.h").write_text((copy / "flat.h").read_text() + "// edited\n")
    monkeypatch.setattr(entry, "FOLDER", copy)
    monkeypatch.setattr(entry, "HEADER", copy / "flat.h")
    assert entry.build("residual_gate_add", None, cache).name != before.name


def test_a_source_that_does_not_compile_says_so_and_leaves_nothing(tmp_path, monkeypatch):
    copy = tmp_path / "floor"
    shutil.copytree(entry.FOLDER, copy)
    (copy / "floor.cc").write_text("#error broken on purpose\n")
    monkeypatch.setattr(entry, "FOLDER", copy)
    with pytest.raises(RuntimeError, match=r"floor.cc does not compile:[\s\S]*broken on purpose"):
        entry.build("residual_gate_add", None, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
