# SPDX-License-Identifier: Apache-2.0
"""The ops that are judged, in the order in which reports print them."""

from __future__ import annotations

from bench.ops import broadcast_add_4d, residual_gate_add
from bench.task.op import Op

OPS: dict[str, Op] = {op.name: op for op in (residual_gate_add.OP, broadcast_add_4d.OP)}
