# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from cuda_tools import EVERY_ARCHITECTURE
from fake_cuda import fake_tensor

from bench.ops import OPS
from bench.task.validate import validate
from solution import build as solution_build

pytestmark = pytest.mark.skipif(
    not (shutil.which("nvcc") or Path("/usr/local/cuda/bin/nvcc").exists()),
    reason="no nvcc on PATH or in /usr/local/cuda: the .cu files cannot be compiled here",
)
without_gpu = pytest.mark.skipif(
    torch.cuda.is_available(), reason="a GPU is here: the tensors that claim to be on it are not"
)
LAYOUTS = [(op.name, layout) for op in OPS.values() for layout in op.layouts]
ADDRESS = 1 << 30  # a multiple of any alignment


@pytest.fixture(scope="session")
def cuda_entry(build_cache):
    """load(op): a library that a GPU machine would run, of which host code alone runs here."""

    def load(op):
        return solution_build.load(
            op, language="cuda", rounding="each_step", cache=build_cache, **EVERY_ARCHITECTURE
        )

    return load


def as_tensor(spec):
    return fake_tensor(
        spec.shape,
        spec.dtype,
        strides=spec.strides,
        address=ADDRESS + spec.offset,
        device=spec.device,
    )


@pytest.mark.parametrize(("op", "layout"), LAYOUTS)
def test_the_cuda_library_refuses_what_the_validator_refuses_in_the_same_words(
    op, layout, cuda_entry
):
    entry = cuda_entry(op)
    rejections = OPS[op].rejections(layout, device="cuda:0", other_device="cuda:1")
    assert {"out on cpu", "out on cuda:1"} <= {rejection.name for rejection in rejections}
    for rejection in rejections:
        with pytest.raises((ValueError, TypeError)) as expected:
            validate(OPS[op], rejection.tensors, "cuda")
        for function in (entry.call, entry.plan):
            with pytest.raises(expected.type) as caught:
                function(*(as_tensor(spec) for spec in rejection.tensors))
            assert str(caught.value) == str(expected.value), rejection.name


@without_gpu
@pytest.mark.parametrize(("op", "layout"), LAYOUTS)
def test_a_legal_call_without_a_gpu_raises_cudas_own_words(op, layout, cuda_entry):
    axes = {"B": 1, "L": 4, "S": 4, "P": 3, "D": 64}
    specs = OPS[op].specs(layout, axes, "bfloat16", device="cuda:0")
    for function in (cuda_entry(op).call, cuda_entry(op).plan):
        with pytest.raises(RuntimeError, match=rf"^{op}: reading the .*capability failed: .*CUDA"):
            function(*(as_tensor(spec) for spec in specs))


def test_an_empty_call_launches_nothing(cuda_entry):
    specs = OPS["residual_gate_add"].specs("row", {"B": 1, "L": 0, "D": 64}, "float16", "cuda:0")
    cuda_entry("residual_gate_add").call(*(as_tensor(spec) for spec in specs))
