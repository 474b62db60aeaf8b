# SPDX-License-Identifier: Apache-2.0
"""Calls whose inputs are still being produced on their stream when they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from bench.timing.clocks import Call

DELAY_CYCLES = 20_000_000  # of a GPU's clock, 10 ms at 2 GHz: what does not wait is over by then


def behind(
    device: str,
    calls: Sequence[Call],
    inputs: Sequence[Sequence[torch.Tensor]],
    produce: Callable[..., None],
) -> float:
    """Device microseconds of calls, each queued behind a delay and what makes its `inputs[i]`.

    `produce` takes values and the tensors to write them to, and may let the next grid start before
    it does. Before, each call has run to its end on another stream, on zeros. Nothing waits between
    producer and call: one that does not follow its stream's order, or that starts early and does
    not wait, finds zeros. NotImplementedError on a CPU.
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
        produce(*values, *tensors)
        call()
    end.record(stream)
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e3
