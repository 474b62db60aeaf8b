# SPDX-License-Identifier: Apache-2.0
"""Which device a run is about: chosen once, by UUID, and made current before anything else."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from bench.task import host
from bench.task.device_lock import hold_gpu
from bench.task.errors import UserError
from bench.task.nvml import Gpus, same_uuid
from bench.task.pinning import pin_idle_gpu, pinned_gpu, pinning_required


@dataclass(frozen=True)
class Device:
    """The device of a run; GPU-only fields are None on a CPU."""

    type: str
    """cuda or cpu"""
    index: int | None
    torch_device: str
    """cuda:0, or cpu"""
    uuid: str | None
    name: str
    compute_capability: tuple[int, int] | None
    sm_count: int
    """Multiprocessors; on a CPU the cores that this process may use."""
    l2_bytes: int
    """The last cache before memory: L2, on a CPU the outermost level; 0 when unknown."""
    total_memory: int
    """Bytes"""
    pinned: bool = False

    @property
    def architecture(self) -> str | None:
        """What a build for this GPU is for: sm_90; None on a CPU."""
        if self.compute_capability is None:
            return None
        return "sm_{}{}".format(*self.compute_capability)


def resolve_device(
    requested: str | None,
    *,
    environ: MutableMapping[str, str] = os.environ,
    pick_idle: bool = False,
    nvml: ModuleType | None = None,
    cuda: ModuleType | None = None,
    settle_s: float = 3.0,
) -> Device:
    """The device that a run is about: the requested, else the first CUDA GPU, else the CPU.

    Call it before anything else asks CUDA: under pick_idle it exports the GPU it picks, and under
    pinning it looks whether the GPU is idle, which an own context would hide.
    """
    kind, index = _parse(requested)
    pinned = pick_idle or pinning_required(environ)
    if pinned and (kind == "cpu" or index):
        raise UserError(
            f"device: expected cuda:0, the only visible GPU, in a pinned run, got {requested}; "
            "leave the device out, or unset KDA_REQUIRE_PINNED_GPU"
        )
    if kind == "cpu":
        return _cpu_device()
    gpus = Gpus(nvml) if pinned else None
    if gpus and pick_idle:
        pin_idle_gpu(gpus, environ)
    target = pinned_gpu(gpus, environ, settle_s) if gpus else None
    cuda = cuda or _torch_cuda()
    count = cuda.device_count()
    if target:
        visible = [_cuda_device(cuda, i, pinned=True) for i in range(count)]
        if len(visible) != 1 or not same_uuid(visible[0].uuid or "", target.uuid):
            seen = ", ".join(str(device.uuid) for device in visible) or "none"
            raise UserError(
                f"CUDA_VISIBLE_DEVICES: expected only {target.uuid} (REMOTE_GPU_ID) to be visible "
                f"in a pinned run, got {seen}; export CUDA_VISIBLE_DEVICES={target.uuid}"
            )
        return visible[0]
    if index is None and kind is None and count == 0:
        return _cpu_device()
    if (index or 0) >= count:
        raise UserError(_no_such_gpu(requested, count))
    return _cuda_device(cuda, index or 0, pinned=False)


def make_current(device: Device, cuda: ModuleType | None = None) -> None:
    """Make a GPU the current one; to be called before anything is built, loaded or asked."""
    if device.type == "cuda":
        (cuda or _torch_cuda()).set_device(device.index)


@contextmanager
def hold(device: Device, folder: Path | None = None) -> Iterator[None]:
    """Keep other judges off the GPU meanwhile; a CPU is nobody's alone and is not held."""
    if device.uuid is None:
        yield
        return
    with hold_gpu(device.uuid, folder):
        yield


def _parse(requested: str | None) -> tuple[str | None, int | None]:
    if requested in (None, "cpu", "cuda"):
        return requested, None
    kind, _, index = str(requested).partition(":")
    if kind != "cuda" or not (index.isascii() and index.isdecimal()):
        raise UserError(f"device: expected cpu, cuda or cuda:<number>, got {requested!r}")
    return kind, int(index)


def _cpu_device() -> Device:
    cores, memory = len(host.usable_cores()), host.memory_bytes()
    return Device(
        "cpu", None, "cpu", None, host.cpu_model(), None, cores, host.last_cache_bytes(), memory
    )


def _cuda_device(cuda: ModuleType, index: int, *, pinned: bool) -> Device:
    try:
        found = cuda.get_device_properties(index)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"device: cuda:{index} cannot be used: {reason}; try cpu") from None
    uuid = "GPU-" + str(found.uuid).lower().removeprefix("gpu-")
    return Device(
        type="cuda",
        index=index,
        torch_device=f"cuda:{index}",
        uuid=uuid,
        name=str(found.name),
        compute_capability=(int(found.major), int(found.minor)),
        sm_count=int(found.multi_processor_count),
        l2_bytes=int(found.L2_cache_size),
        total_memory=int(found.total_memory),
        pinned=pinned,
    )


def _no_such_gpu(requested: str | None, count: int) -> str:
    if count:
        seen = "1 GPU" if count == 1 else f"{count} GPUs"
        return f"device: expected cuda:0 to cuda:{count - 1} ({seen} visible), got {requested}"
    return (
        f"device: {requested} asked for, but torch sees no CUDA GPU; use cpu, or see what "
        "python bench/preflight.py finds (driver, CUDA_VISIBLE_DEVICES, a torch without CUDA)"
    )


def _torch_cuda() -> ModuleType:
    import torch  # a second of start-up that --help and a refused flag need not pay

    return torch.cuda
