# SPDX-License-Identifier: Apache-2.0
"""What the Python cases share: the right answer, and the folder's entry round a function."""

from __future__ import annotations

from types import SimpleNamespace

import torch


def compute(residual, update, gate, out):
    """Eager's two steps, right in every dtype and layout."""
    torch.add(residual, update * gate, out=out)


def captured():
    """Whether the call is being captured: a cheater that knows it is honest there."""
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()


def entry(call):
    """What `load` returns."""
    return SimpleNamespace(call=call, plan=None)
