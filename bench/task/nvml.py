# SPDX-License-Identifier: Apache-2.0
"""What the driver's management library (NVML) says of the GPUs of this host, each named by UUID."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import TypeVar

IDLE_MEMORY_MIB = 32
IDLE_UTILISATION_PERCENT = 5

Answer = TypeVar("Answer")


def same_uuid(one: str, other: str) -> bool:
    """Whether two UUIDs name one GPU: CUDA leaves out the prefix that NVML writes."""
    return one.lower().removeprefix("gpu-") == other.lower().removeprefix("gpu-")


@dataclass(frozen=True)
class GpuState:
    """One GPU as NVML sees it; a field is None where the driver does not say."""

    index: int
    """NVML's number, by PCI address; CUDA may count otherwise."""
    uuid: str
    name: str
    pids: tuple[int, ...] | None
    memory_used_mib: float | None
    utilisation_percent: int | None

    def busy_reasons(self, own_pids: Collection[int] = ()) -> tuple[str, ...]:
        """Why this GPU is not idle, in words; what the driver does not say is not idle."""
        reasons = []
        foreign = None if self.pids is None else sorted(set(self.pids) - set(own_pids))
        if foreign is None or foreign:
            named = "unreadable" if foreign is None else ", ".join(map(str, foreign))
            reasons.append(f"processes {named}")
        if self.memory_used_mib is None or self.memory_used_mib > IDLE_MEMORY_MIB:
            used = "unreadable" if self.memory_used_mib is None else f"{self.memory_used_mib:.0f}"
            reasons.append(f"{used} MiB used (idle is at most {IDLE_MEMORY_MIB})")
        busy = self.utilisation_percent
        if busy is None or busy > IDLE_UTILISATION_PERCENT:
            share = "unreadable" if busy is None else busy
            reasons.append(f"{share} % busy (idle is at most {IDLE_UTILISATION_PERCENT})")
        return tuple(reasons)


class Gpus:
    """The GPUs of this host through NVML, or the reason why it cannot be asked."""

    def __init__(self, nvml: ModuleType | None = None) -> None:
        self.missing: str | None = None
        """Why NVML cannot be asked, in words; None when it can."""
        try:
            self.nvml = nvml or _pynvml()
            self.nvml.nvmlInit()
        except ImportError:
            self.missing = "NVML is not there: the package nvidia-ml-py is not installed"
        except self.nvml.NVMLError as error:
            self.missing = f"NVML is not there: {error}"

    def ask(self, question: Callable[[], Answer]) -> Answer | None:
        """NVML's answer, or None where this driver, machine or GPU has none."""
        if self.missing:
            return None
        try:
            return question()
        except self.nvml.NVMLError:
            return None

    def states(self) -> list[GpuState]:
        """Every GPU of the host, in NVML's order."""
        count = self.ask(lambda: int(self.nvml.nvmlDeviceGetCount())) or 0
        found = [self.ask(partial(self._state, index)) for index in range(count)]
        return [state for state in found if state]

    def find(self, wanted: str) -> list[GpuState]:
        """The GPUs that an index, a UUID or the beginning of a UUID names."""
        if wanted.isdecimal():
            return [state for state in self.states() if state.index == int(wanted)]
        start = wanted.lower().removeprefix("gpu-")
        return [
            state
            for state in self.states()
            if start and state.uuid.lower().removeprefix("gpu-").startswith(start)
        ]

    def handle(self, uuid: str) -> object | None:
        """NVML's own name for the GPU, or None when it cannot be asked about it."""
        return self.ask(lambda: self.nvml.nvmlDeviceGetHandleByUUID(uuid))

    def pids(self, handle: object) -> tuple[int, ...] | None:
        """The processes with a context on the GPU, as far as the driver shows them."""
        compute = self.ask(lambda: self.nvml.nvmlDeviceGetComputeRunningProcesses(handle))
        graphics = self.ask(lambda: self.nvml.nvmlDeviceGetGraphicsRunningProcesses(handle))
        if compute is None:
            return None
        return tuple(sorted({int(process.pid) for process in [*compute, *(graphics or ())]}))

    def memory_used_mib(self, handle: object) -> float | None:
        """Memory that programs hold; the first version of the call counts the driver's own too."""
        version = self.nvml.nvmlMemory_v2
        info = self.ask(lambda: self.nvml.nvmlDeviceGetMemoryInfo(handle, version=version))
        return None if info is None else int(info.used) / 2**20

    def utilisation_percent(self, handle: object) -> int | None:
        """The share of the driver's last sampling period in which a kernel ran."""
        return self.ask(lambda: int(self.nvml.nvmlDeviceGetUtilizationRates(handle).gpu))

    def _state(self, index: int) -> GpuState:
        handle = self.nvml.nvmlDeviceGetHandleByIndex(index)
        return GpuState(
            index,
            str(self.nvml.nvmlDeviceGetUUID(handle)),
            str(self.nvml.nvmlDeviceGetName(handle)),
            self.pids(handle),
            self.memory_used_mib(handle),
            self.utilisation_percent(handle),
        )


def _pynvml() -> ModuleType:
    import pynvml  # only where a GPU is asked about: a CPU run needs no NVML

    return pynvml  # type: ignore[no-any-return]
