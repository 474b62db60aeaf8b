# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

from bench.task.arithmetic import Rounding
from bench.task.op import Op

if TYPE_CHECKING:
    import torch

    from bench.task.arithmetic import Arithmetic


def oracle(_: Arithmetic, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """One addition: both roundings agree, since there is no intermediate result."""
    return a + b


OP = Op(
    name="broadcast_add_4d",
    formula="out[0,s,p,d] = a[0,0,p,d] + b[0,s,p,d]",
    inputs={"a": "1 1 P D", "b": "1 S P D"},
    outputs={"out": "1 S P D"},
    layouts={"broadcast": {}},
    roundings=(Rounding.ONCE, Rounding.EACH_STEP),
    oracle=oracle,
    # S counts frames: the production row has 126 of audio, and its neighbours make the count odd
    # and prime. P is the rows of a modulation table: 3 in production, 2, 6 and 9 in its sisters.
    edges=(
        {"S": 16, "P": 2, "D": 256},
        {"S": 31, "P": 3, "D": 256},
        {"S": 121, "P": 3, "D": 256},
        {"S": 125, "P": 3, "D": 256},
        {"S": 126, "P": 3, "D": 2048},
        {"S": 127, "P": 3, "D": 256},
        {"S": 16, "P": 6, "D": 256},
        {"S": 16, "P": 9, "D": 257},
        {"S": 126, "P": 1, "D": 31},
    ),
)
