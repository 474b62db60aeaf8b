# SPDX-License-Identifier: Apache-2.0
"""torch.compile of the op's own formula, written into the caller's output.

Compiled at the first call on each shape, so in a warm-up; a process of its own keeps dynamo's
machinery out of the others' (in one process it slowed an empty launch from 4.4 to 7.3 us on an
H200).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import torch

from bench.ops import OPS
from bench.task.arithmetic import Rounding
from bench.task.op import Op

SHAPES = 256  # dynamo gives up after 8 by default; a player may see every row


def load(op: str, *, rounding: str, cache: Path, **_: object) -> SimpleNamespace:
    """Return the compiled call; nothing is compiled before it is first called."""
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache.resolve() / "inductor"))
    import torch._dynamo.config  # lazily: two seconds that a failed load need not pay
    import torch._inductor.config

    torch._dynamo.config.recompile_limit = SHAPES
    torch._inductor.config.compile_threads = 1  # no pool of compilers outlives the compilation
    each_step = rounding == Rounding.EACH_STEP.value
    call = torch.compile(
        into_outputs(OPS[op]),
        fullgraph=True,
        dynamic=False,
        options={"emulate_precision_casts": each_step},
    )
    return SimpleNamespace(call=call, plan=None)


def into_outputs(op: Op) -> Callable[..., None]:
    """Return the formula as a reader would write it in PyTorch, on tensors in the call's order."""
    oracle, inputs = op.oracle, len(op.inputs)

    def formula(*tensors: torch.Tensor) -> None:
        results = oracle(_as_it_is, *tensors[:inputs])
        results = results if isinstance(results, tuple) else (results,)
        for out, result in zip(tensors[inputs:], results, strict=True):
            out.copy_(result)

    return formula


def _as_it_is(tensor: torch.Tensor) -> torch.Tensor:
    """Rounds nothing: the tensors' dtype does, or the compiler where it fuses."""
    return tensor
