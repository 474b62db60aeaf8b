# SPDX-License-Identifier: Apache-2.0
"""Calls whose inputs are still being produced on their stream when they are made."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bench.timing.clocks import Call

DELAY_CYCLES = 20_000_000  # of a GPU's clock, 10 ms at 2 GHz: what does not wait is over by then


def behind(device: str, calls: Sequence[Call], inputs: Sequence[Sequence[torch.Tensor]]) -> float:
    """Device microseconds of calls, each queued behind a delay and what makes its `inputs[i]`.

    Before, each has run to its end on another stream, on zeros. Nothing waits between producer and
    call: one that does not follow its stream's order finds zeros. NotImplementedError on a CPU.
    """
    if not device.startswith("cuda"):
        raise NotImplementedError(
            f"behind: expected a CUDA device, got {device}: it has no streams"
        )
    stream = torch.cuda.current_stream(device)
    kept = [[tensor.clone() for tensor in tensors] for tensors in inputs]
    for tensor in (tensor for tensors in inputs for tensor in tensors):
        tensor.zero_()
    stream.synchronize()
    other = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    with torch.cuda.stream(other):
        for call in calls:
            call()
    other.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    start.record(stream)
    for call, tensors, values in zip(calls, inputs, kept, strict=True):
        torch.cuda._sleep(DELAY_CYCLES)  # type: ignore[no-untyped-call]
        for tensor, value in zip(tensors, values, strict=True):
            tensor.copy_(value)
        call()
    end.record(stream)
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e3
