# SPDX-License-Identifier: Apache-2.0
"""The pinned run: one GPU, named by the user and idle before we start; asks NVML, never CUDA."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, MutableMapping

from bench.task.errors import UserError
from bench.task.nvml import Gpus, GpuState

WAY_OUT = "run python bench/preflight.py and export what it prints"
POLL_S = 0.25


def pinning_required(environ: Mapping[str, str]) -> bool:
    """Whether KDA_REQUIRE_PINNED_GPU asks for a pinned run."""
    value = environ.get("KDA_REQUIRE_PINNED_GPU", "")
    if value not in ("", "0", "1"):
        raise UserError(f"KDA_REQUIRE_PINNED_GPU: expected 1, 0 or nothing, got {value!r}")
    return value == "1"


def pinned_gpu(gpus: Gpus, environ: Mapping[str, str], settle_s: float) -> GpuState:
    """The idle GPU that REMOTE_GPU_ID names; UserError in every other case."""
    wanted = environ.get("REMOTE_GPU_ID", "").strip()
    if not wanted:
        raise UserError(
            "REMOTE_GPU_ID: expected a GPU's index or UUID since KDA_REQUIRE_PINNED_GPU=1, got "
            f"nothing; {WAY_OUT}"
        )
    if gpus.missing:
        raise UserError(f"a pinned run needs NVML to see an idle GPU, but {gpus.missing}")
    found = gpus.find(wanted)
    if len(found) != 1:
        listed = ", ".join(f"{state.index}={state.uuid}" for state in gpus.states()) or "no GPU"
        many = "several GPUs" if found else "no GPU"
        raise UserError(
            f"REMOTE_GPU_ID: expected to name one GPU of {listed}, {wanted} names {many}; {WAY_OUT}"
        )
    return _settled(gpus, found[0], settle_s)


def idle_gpu(gpus: Gpus, environ: Mapping[str, str]) -> GpuState:
    """The first idle GPU that CUDA_VISIBLE_DEVICES leaves; UserError when there is none."""
    if gpus.missing:
        raise UserError(f"an idle GPU cannot be picked: {gpus.missing}")
    busy = []
    for state in _allowed(gpus.states(), environ):
        reasons = state.busy_reasons((os.getpid(),))
        if not reasons:
            return state
        busy.append(f"{state.uuid}: {', '.join(reasons)}")
    found = "; ".join(busy) or "this host has none that may be used"
    raise UserError(f"no idle GPU to pick: {found}; wait for one, or use --device cpu")


def pin_idle_gpu(gpus: Gpus, environ: MutableMapping[str, str]) -> GpuState:
    """Export the first idle GPU as the pinned one, before CUDA is asked."""
    state = idle_gpu(gpus, environ)
    environ.update(exports(state.uuid))
    return state


def exports(uuid: str) -> dict[str, str]:
    """The environment of a pinned run on that GPU."""
    return {"CUDA_VISIBLE_DEVICES": uuid, "REMOTE_GPU_ID": uuid, "KDA_REQUIRE_PINNED_GPU": "1"}


def _allowed(states: list[GpuState], environ: Mapping[str, str]) -> list[GpuState]:
    """The GPUs that CUDA_VISIBLE_DEVICES leaves, where it can be read without asking CUDA."""
    visible = environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return states
    by_pci_address = environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len(states) == 1
    allowed = []
    for entry in filter(None, visible.replace(" ", "").split(",")):
        if entry.isdecimal() and not by_pci_address:
            raise UserError(
                f"CUDA_VISIBLE_DEVICES: expected UUIDs when an idle GPU is to be picked, got "
                f"{visible}; unset it or export CUDA_DEVICE_ORDER=PCI_BUS_ID"
            )
        allowed += [
            state
            for state in states
            if (entry.isdecimal() and state.index == int(entry))
            or state.uuid.lower().startswith(entry.lower())
        ]
    return allowed


def _settled(gpus: Gpus, target: GpuState, settle_s: float) -> GpuState:
    """The GPU once it is idle; NVML's utilisation lags, so what a run before us left may pass."""
    deadline = time.monotonic() + settle_s
    while busy := target.busy_reasons((os.getpid(),)):
        if time.monotonic() >= deadline:
            raise UserError(
                f"GPU {target.uuid}: expected an idle GPU in a pinned run, got {'; '.join(busy)}; "
                "wait for its user, or choose an idle one: " + WAY_OUT
            )
        time.sleep(POLL_S)
        target = next(iter(gpus.find(target.uuid)), target)
    return target
