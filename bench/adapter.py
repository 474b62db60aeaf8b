# SPDX-License-Identifier: Apache-2.0
"""The one importer of baseline and solution: loads a side's entry and binds it to tensors.

The call rule, the same for every back end: inputs in declared order, then outputs; returns nothing,
allocates nothing, runs on the tensors' device and its current stream. Runs in players only.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import torch

from bench.ops import OPS
from bench.task.side import Side
from bench.task.tensor import TensorSpec
from bench.task.validate import validate

Entry = tuple[Callable[..., None], Callable[..., str] | None]
"""An op's call, and its launch-plan function if it has one."""


class LoadError(RuntimeError):
    """A side's code raised while it was loaded."""


class Adapter:
    """Loads each op of one side once; binds it to as many cases as there are."""

    def __init__(self, side: Side, device: str) -> None:
        self._side = side
        self._device = device
        self._entries: dict[str, Entry] = {}

    def load(self, op: str) -> Entry:
        """Return the op's call and its launch-plan function, building what is not yet built."""
        if op not in self._entries:
            try:
                self._entries[op] = self._load(op)
            except NotImplementedError:
                raise
            except Exception as error:
                if type(error).__name__ in ("BuildError", "OutOfMemoryError"):
                    raise
                # Of its own kind a TypeError would read as the refusal of a call.
                raise LoadError(f"{op} does not load: {type(error).__name__}: {error}") from error
        return self._entries[op]

    def _load(self, op: str) -> Entry:
        file, _, function = self._side.entry.format(op=op).rpartition(":")
        target = getattr(_module(Path(file), f"{self._side.name}_{Path(file).stem}"), function)
        if self._side.name == "baseline":
            return target, None
        built = target(
            op,
            language=self._side.language,
            rounding=self._side.rounding,
            architecture=self._architecture(),
            flags=self._side.flags,
            cache=Path(self._side.cache),
        )
        return built.call, built.plan

    def bind(
        self, op: str, tensors: Sequence[torch.Tensor], *, validated: bool = True
    ) -> Callable[[], None]:
        """Return the call on these tensors, its contract checked here and not in the timed path."""
        call, _ = self.load(op)
        if validated:
            names = OPS[op].tensors
            specs = [TensorSpec.of(name, t) for name, t in zip(names, tensors, strict=True)]
            validate(OPS[op], specs, torch.device(self._device).type)
        return functools.partial(call, *tensors)

    def plan(self, op: str, tensors: Sequence[torch.Tensor]) -> str:
        """Return how the side would launch this case, in its own words; empty if it has none."""
        _, plan = self.load(op)
        return str(plan(*tensors)) if plan is not None else ""

    def _architecture(self) -> str | None:
        if self._side.architecture:
            return self._side.architecture
        if not self._device.startswith("cuda"):
            return None
        major, minor = torch.cuda.get_device_capability(self._device)
        return f"sm_{major}{minor}"


def _module(file: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise NotImplementedError(f"{file.parent.name} has no {file.name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass or a pickle in it looks its module up by name
    spec.loader.exec_module(module)
    return module
