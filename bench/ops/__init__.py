# SPDX-License-Identifier: Apache-2.0
"""The ops that are judged, in the order in which reports print them."""

from __future__ import annotations

from bench.ops import (
    broadcast_add_4d,
    layer_norm_modulate,
    residual_gate_add,
    residual_gate_layer_norm_modulate,
    residual_gate_rms_norm_modulate,
    rms_norm,
    rms_norm_modulate,
    silu_mul,
)
from bench.task.op import Op

OPS: dict[str, Op] = {
    module.OP.name: module.OP
    for module in (
        residual_gate_add,
        broadcast_add_4d,
        rms_norm,
        silu_mul,
        layer_norm_modulate,
        rms_norm_modulate,
        residual_gate_layer_norm_modulate,
        residual_gate_rms_norm_modulate,
    )
}
