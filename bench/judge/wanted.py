# SPDX-License-Identifier: Apache-2.0
"""The bytes that outputs must hold: before a sample, and after one that rounds as the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch

from bench.judge.case import OUTPUTS, Case
from bench.judge.data import CaseData, dirty_outputs
from bench.judge.session import Session
from bench.judge.turn import Window
from bench.judge.verify import write_expected
from bench.task.arithmetic import Rounding


@dataclass(frozen=True)
class Wanted:
    """Whole memories, guards and the bytes between tensors included.

    Made once for all contenders: a sample whose outputs equal `complete` needs no other look, and
    only one that does not is compared with the oracle element by element.
    """

    inputs: torch.Tensor
    """the judge's own copy of what the inputs were filled with"""
    poison: int
    blank: torch.Tensor
    """poison and guards"""
    complete: Mapping[Rounding, torch.Tensor]


def wanted_outputs(
    session: Session,
    case: Case,
    window: Window,
    inputs: torch.Tensor,
    roundings: Iterable[Rounding],
    nonce: int,
) -> Wanted:
    """Work out what a window's outputs must be, from the judge's own copy of the inputs."""
    size = case.bytes_of(OUTPUTS)
    blank = session.scratch("blank outputs", size)
    poison = dirty_outputs(case, blank, nonce)
    written = [(window.first, window.first + window.count)]
    if window.warm_calls:
        written.append((window.warm_slot, window.warm_slot + 1))
    complete = {}
    for rounding in sorted(set(roundings)):
        image = session.scratch(f"outputs {rounding.value}", size)
        image[:size].copy_(blank[:size])
        for slots in written:
            write_expected(CaseData(case, inputs, image), rounding, slots)
        complete[rounding] = image
    return Wanted(inputs, poison, blank, complete)
