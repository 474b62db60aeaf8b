# SPDX-License-Identifier: Apache-2.0
"""A legal solution folder in Python whose behaviour a test changes between two calls."""

from __future__ import annotations

import textwrap
from pathlib import Path

BUILD = """
import os
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

import torch

HERE = Path(__file__).parent
kept = {}


class Entry(NamedTuple):
    call: object
    plan: object


def load(op, *, language, rounding, architecture, flags, cache):
    exec((HERE / "at_load").read_text(), globals() | {"op": op})

    def right(*tensors):
        *inputs, out = tensors
        if len(inputs) == 2:
            torch.add(*inputs, out=out)
        elif rounding == "each_step":
            torch.add(inputs[0], inputs[1] * inputs[2], out=out)
        else:
            wide = [one.double() for one in inputs]
            out.copy_(wide[0] + wide[1] * wide[2])

    def call(*tensors):
        names = {"op": op, "tensors": tensors, "out": tensors[-1], "first": tensors[0]}
        exec((HERE / "at_call").read_text(), globals() | names | {"right": lambda: right(*tensors)})

    return Entry(call, lambda *tensors: f"fake {language} {rounding} {tuple(tensors[-1].shape)}")
"""


class FakeSolution:
    """`load` runs what `at_load` was last given, each call what `at_call` was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "build.py").write_text(BUILD)
        self.at_load("pass")
        self.at_call("right()")

    def at_load(self, source: str) -> None:
        (self.folder / "at_load").write_text(textwrap.dedent(source))

    def at_call(self, source: str) -> None:
        (self.folder / "at_call").write_text(textwrap.dedent(source))
