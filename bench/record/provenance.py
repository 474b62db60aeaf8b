# SPDX-License-Identifier: Apache-2.0
"""What a results file was made from, by what, on what and when."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

from bench.record.machine import MachineState
from bench.record.results import utc_now
from bench.record.toolchain import versions
from bench.record.tree import (
    ELSEWHERE,
    file_digest,
    git_state,
    tree_digest,
    without_machine_paths,
)
from bench.task import host
from bench.task.device import Device
from bench.task.nvml import Gpus


def provenance(
    root: Path,
    device: Device,
    *,
    solution: Path,
    config: Path,
    workloads: Path,
    timer: str,
    idle_before: MachineState,
    argv: Sequence[str] | None = None,
    environ: Mapping[str, str] = os.environ,
    nvml: ModuleType | None = None,
) -> dict[str, object]:
    """The provenance part of a run record; no path or name of the machine is in it."""
    gpus = Gpus(nvml)
    folders = {"baseline": root / "baseline", "solution": solution, "bench": root / "bench"}
    files = {"workloads": workloads, "config": config}
    judged = [str(path) for path in (*folders.values(), *files.values()) if _within(path, root)]
    record = {
        "time_utc": utc_now(),
        "command": [_argument(argument, root) for argument in argv or sys.argv],
        "timer": timer,
        "solution_folder": _argument(str(solution.resolve()), root),
        "tree_sha256": {name: tree_digest(folder) for name, folder in folders.items()},
        "file_sha256": {name: file_digest(file) for name, file in files.items()},
        "git": git_state(root, judged, environ),
        "versions": versions(gpus, environ),
        "device": device_record(device, gpus),
        "idle_before": idle_before.to_record(),
        "nvml": gpus.missing or "ok",
        "host": host_record(),
    }
    return {key: without_machine_paths(value, root) for key, value in record.items()}


def device_record(device: Device, gpus: Gpus) -> dict[str, object]:
    """The chosen device's own facts; nothing is asked of whichever device is current."""
    handle = gpus.handle(device.uuid) if device.uuid else None
    nvml = gpus.nvml if handle else None
    clocks = {
        f"max_{name}_clock_mhz": nvml
        and gpus.ask(partial(nvml.nvmlDeviceGetMaxClockInfo, handle, getattr(nvml, constant)))
        for name, constant in (("sm", "NVML_CLOCK_SM"), ("memory", "NVML_CLOCK_MEM"))
    }
    capability = device.compute_capability
    return {
        "type": device.type,
        "name": device.name,
        "uuid": device.uuid,
        "compute_capability": capability and "{}.{}".format(*capability),
        "sm_count": device.sm_count,
        "l2_bytes": device.l2_bytes,
        "total_memory_bytes": device.total_memory,
        "pinned": device.pinned,
        **clocks,
    }


def host_record() -> dict[str, object]:
    """The host's facts; its name only as a digest, to tell two hosts apart without naming them."""
    return {
        "name_digest": hashlib.sha256(b"host " + platform.node().encode()).hexdigest()[:12],
        "cpu_model": host.cpu_model(),
        "core_count": os.cpu_count(),
        "affinity": host.usable_cores(),
        "memory_bytes": host.memory_bytes(),
        "kernel": platform.release(),
        "load_1m": host.load_1m(),
        "landlock_version": host.landlock_version(),
    }


def _within(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _argument(argument: str, root: Path) -> str:
    """One word of the command; as a path it may hold spaces, which a sentence's may not."""
    flag, equals, value = argument.rpartition("=")
    path = Path(value)
    if not path.is_absolute():
        return argument
    if _within(path, root):
        value = path.resolve().relative_to(root.resolve()).as_posix()
    else:
        value = f"{ELSEWHERE}{path.name}"
    return f"{flag}{equals}{value}"
