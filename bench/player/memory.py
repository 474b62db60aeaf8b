# SPDX-License-Identifier: Apache-2.0
"""Memory that the judge owns and a player maps: CUDA IPC on a GPU, an anonymous file on a CPU.

Allocations are the judge's own and never a piece of a caching allocator's segment: an IPC handle
opens the whole allocation, and expected values must not lie in one that a player can open.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import functools
import mmap
import os
from collections.abc import Callable
from typing import Any

import torch

from bench.task.host import available_memory_bytes

GRANULARITY = 2 << 20  # bytes; a smaller device allocation can share its page with a neighbour


class OutOfMemory(Exception):
    """The device has no room for an allocation of this size."""


class Memory:
    """Bytes that one process allocated and others can map: `tensor` is uint8 of `size` bytes."""

    def __init__(
        self,
        tensor: torch.Tensor,
        handle: dict[str, Any],
        descriptor: int | None,
        release: Callable[[], None],
    ) -> None:
        self.tensor = tensor
        self.size = tensor.numel()
        self.handle = handle
        self.descriptor = descriptor
        self._release = release

    def free(self) -> None:
        """Give the bytes back; every tensor made from them is invalid afterwards."""
        self.tensor = torch.empty(0, dtype=torch.uint8)
        self._release()


def allocate(device: str, size: int) -> Memory:
    """Allocate `size` bytes (rounded up to 2 MiB) on `device`, ready to be shared."""
    size = max(GRANULARITY, -(-size // GRANULARITY) * GRANULARITY)
    return _allocate_cuda(device, size) if device.startswith("cuda") else _allocate_cpu(size)


def reset_persisting_lines() -> None:
    """Make every line that a kernel asked the L2 to keep an ordinary one."""
    _driver("cuCtxResetPersistingL2Cache")


def attach(handle: dict[str, Any], descriptors: list[int]) -> torch.Tensor:
    """Map memory that another process shared; a uint8 tensor over all its bytes."""
    if handle["device"] == "cpu":
        (descriptor,) = descriptors
        mapping = mmap.mmap(descriptor, handle["size"])
        os.close(descriptor)
        return torch.frombuffer(mapping, dtype=torch.uint8)
    torch.cuda.set_device(handle["device"])
    ipc = _IpcHandle.from_buffer_copy(base64.b64decode(handle["ipc"]))
    pointer = ctypes.c_uint64()
    _driver("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), ipc, ctypes.c_uint(1))
    return _device_bytes(pointer.value, handle["size"], handle["device"])


def _allocate_cpu(size: int) -> Memory:
    # The kernel gives any size and kills the writer of the page that does not fit.
    room = available_memory_bytes()
    if size > room:
        raise OutOfMemory(f"cpu: {size >> 20} MiB asked for, {room >> 20} MiB available")
    descriptor = os.memfd_create("case", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, size)
        # A player that maps it could shrink it, and the judge's next read would end the judge.
        seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        mapping = mmap.mmap(descriptor, size)
    except OSError as error:
        os.close(descriptor)
        raise OutOfMemory(f"cpu: {size >> 20} MiB: {error.strerror}") from error
    tensor = torch.frombuffer(mapping, dtype=torch.uint8)
    return Memory(tensor, {"device": "cpu", "size": size}, descriptor, lambda: os.close(descriptor))


def _allocate_cuda(device: str, size: int) -> Memory:
    torch.cuda.set_device(device)
    torch.cuda.synchronize()  # the primary context must be current before the driver is called
    pointer = ctypes.c_uint64()
    try:
        _driver("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
    except RuntimeError as error:
        raise OutOfMemory(f"{device}: {size} bytes: {error}") from error
    ipc = _IpcHandle()
    _driver("cuIpcGetMemHandle", ctypes.byref(ipc), pointer)
    handle = {"device": device, "size": size, "ipc": base64.b64encode(bytes(ipc)).decode()}

    def release() -> None:
        torch.cuda.set_device(device)
        torch.cuda.synchronize()
        _driver("cuMemFree_v2", pointer)

    return Memory(_device_bytes(pointer.value, size, device), handle, None, release)


class _IpcHandle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


class _CudaArray:
    """The array-interface view through which torch adopts a raw device pointer."""

    def __init__(self, pointer: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (pointer, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }


def _device_bytes(pointer: int, size: int, device: str) -> torch.Tensor:
    return torch.as_tensor(_CudaArray(pointer, size), device=device)


@functools.cache
def _libcuda() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _driver(name: str, *arguments: Any) -> None:  # noqa: ANN401 -- ctypes values of any kind
    status = getattr(_libcuda(), name)(*arguments)
    if status != 0:
        text = ctypes.c_char_p()
        _libcuda().cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({status})")
