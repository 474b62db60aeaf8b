# SPDX-License-Identifier: Apache-2.0
"""The state of GPU and host at one moment, read round each block of samples."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from types import ModuleType

from bench.task import host
from bench.task.device import Device
from bench.task.nvml import Gpus

EVENT_REASONS = {
    0x001: "gpu_idle",
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
"""NVML's bits for why the clock is not higher."""
THROTTLES = (
    "sw_power_cap",
    "hw_slowdown",
    "sw_thermal_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
)
"""Those that take speed away; idle and clocks that somebody set are states, not throttling."""
LOAD_ABOVE_CORES = 1.0
"""A run of ours keeps at most every core busy and waits with one thread more."""


@dataclass(frozen=True)
class MachineState:
    """One reading; a field is None where this machine has no such thing or does not say."""

    time_unix_s: float
    host_load_1m: float | None
    host_cores: int
    cpu_mhz: float | None = None
    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    clock_event_reasons: tuple[str, ...] | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    utilisation_percent: int | None = None
    memory_used_mib: float | None = None
    foreign_pids: tuple[int, ...] | None = None
    """Processes on the GPU that are known not to be ours."""
    foreign_count: int | None = None
    """How many there are, counting those that cannot be told by pid."""

    @property
    def throttle_reasons(self) -> tuple[str, ...]:
        """The clock-event reasons that take speed away."""
        return tuple(name for name in self.clock_event_reasons or () if name in THROTTLES)

    @property
    def contention_reasons(self) -> tuple[str, ...]:
        """Who else is using the GPU or the host, in words."""
        reasons = []
        if self.foreign_count:
            reasons.append(f"{self.foreign_count} foreign process(es) on the GPU")
        if (self.host_load_1m or 0) > self.host_cores + LOAD_ABOVE_CORES:
            reasons.append(f"host load {self.host_load_1m} on {self.host_cores} cores")
        return tuple(reasons)

    @property
    def throttled(self) -> bool:
        """Whether the GPU is being slowed."""
        return bool(self.throttle_reasons)

    @property
    def contended(self) -> bool:
        """Whether somebody else uses the GPU or crowds the host."""
        return bool(self.contention_reasons)

    def to_record(self) -> dict[str, object]:
        """The reading and both verdicts as a part of a record."""
        verdicts = {"throttled": self.throttle_reasons, "contended": self.contention_reasons}
        return {**asdict(self), **verdicts}


class MachineProbe:
    """Reads the state of one device's machine; to be made before the run opens the GPU.

    Own processes are those whose pids the caller gives. In some virtual machines and containers
    NVML's pids are of another namespace: when none of ours is listed though each holds the GPU, the
    processes listed before the run are foreign, and so is what exceeds the number of ours. When
    none is listed at all, NVML shows no processes here and the number of foreign ones is unknown.
    """

    def __init__(self, device: Device, nvml: ModuleType | None = None) -> None:
        self.missing: str | None = None
        """Why the GPU's state cannot be read, in words; None when it can, or on a CPU."""
        self._on_gpu = device.uuid is not None
        self._handle: object = None
        if device.uuid is None:
            return
        self._gpus = Gpus(nvml)
        self._handle = self._gpus.handle(device.uuid)
        if self._handle is None:
            self.missing = self._gpus.missing or f"NVML does not know {device.uuid}"
        else:
            self._pids_before = frozenset(self._gpus.pids(self._handle) or ())

    def read(self, own_pids: Collection[int] = ()) -> MachineState:
        """The state now; `own_pids` are the processes of this run that hold the GPU."""
        cores = os.cpu_count() or 1
        state = MachineState(time.time(), host.load_1m(), cores)
        if not self._on_gpu:
            return replace(state, cpu_mhz=host.cpu_mhz())
        if self._handle is None:
            return state
        gpus, handle, nvml = self._gpus, self._handle, self._gpus.nvml
        sensor = nvml.NVML_TEMPERATURE_GPU
        milliwatts = gpus.ask(lambda: int(nvml.nvmlDeviceGetPowerUsage(handle)))
        foreign_pids, foreign_count = self._foreign(frozenset(own_pids))
        return replace(
            state,
            sm_clock_mhz=gpus.ask(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
            memory_clock_mhz=gpus.ask(
                lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)
            ),
            clock_event_reasons=self._event_reasons(),
            temperature_c=gpus.ask(lambda: nvml.nvmlDeviceGetTemperature(handle, sensor)),
            power_w=None if milliwatts is None else milliwatts / 1000,
            utilisation_percent=gpus.utilisation_percent(handle),
            memory_used_mib=gpus.memory_used_mib(handle),
            foreign_pids=foreign_pids,
            foreign_count=foreign_count,
        )

    def _event_reasons(self) -> tuple[str, ...] | None:
        gpus, handle, nvml = self._gpus, self._handle, self._gpus.nvml
        bits = gpus.ask(lambda: int(nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)))
        if bits is None:  # drivers before 535 know the call by its old name only
            bits = gpus.ask(lambda: int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)))
        if bits is None:
            return None
        return tuple(name for bit, name in EVENT_REASONS.items() if bits & bit)

    def _foreign(self, own: frozenset[int]) -> tuple[tuple[int, ...] | None, int | None]:
        pids = self._gpus.pids(self._handle)
        if pids is None or (own and not pids):
            return None, None
        listed = frozenset(pids)
        if not own or own & listed:
            foreign = listed - own
            return tuple(sorted(foreign)), len(foreign)
        from_before = listed & self._pids_before
        surplus = max(0, len(listed - from_before) - len(own))
        return tuple(sorted(from_before)), len(from_before) + surplus
