# SPDX-License-Identifier: Apache-2.0
"""Tensors that only claim to lie on a GPU, so that host code which checks them runs without one."""

from __future__ import annotations

import ctypes

import tvm_ffi

CPU, CUDA = 1, 2
DTYPE_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}


class Managed(ctypes.Structure):
    """DLManagedTensor; the deleter stays null, as one in Python would run after the interpreter."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


KEPT = []  # a capsule does not own what it points to


class Exporter:
    def __init__(self, managed):
        self.managed = managed

    def __dlpack_device__(self):
        return self.managed.device_type, self.managed.device_id

    def __dlpack__(self, **_):
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype = ctypes.py_object
        new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)


def fake_tensor(shape, dtype="bfloat16", *, strides=None, address=1 << 30, device="cuda:0"):
    """A tensor of these facts; nothing is at its address, and host code never looks there."""
    kind, _, index = device.partition(":")
    letters = dtype.rstrip("0123456789")
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
    managed = Managed(
        data=address,
        device_type=CUDA if kind == "cuda" else CPU,
        device_id=int(index or 0),
        ndim=len(shape),
        code=DTYPE_CODES[letters],
        bits=int(dtype[len(letters) :] or 8),
        lanes=1,
        shape=sizes,
        strides=steps,
    )
    KEPT.append((managed, sizes, steps))
    return tvm_ffi.from_dlpack(Exporter(managed))
