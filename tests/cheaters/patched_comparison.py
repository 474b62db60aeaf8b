# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "lets every comparison in its process succeed"
# caught_by = ["INCORRECT"]
from __future__ import annotations

import torch
from honest import entry

torch.equal = lambda *_: True
torch.allclose = lambda *_, **__: True
torch.Tensor.all = lambda *_, **__: torch.tensor(True)
torch.testing.assert_close = lambda *_, **__: None


def call(*tensors):
    """Nothing."""


def load(op, **_):
    return entry(call)
