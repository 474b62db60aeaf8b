# SPDX-License-Identifier: Apache-2.0
"""Which kernels a side's calls launched, against the kernels of its own build.

The names are found by torch.profiler in a process that the side shares: a side can lie there, by a
kernel or a string of its own that bears another's name.
"""

from __future__ import annotations

import ast
import ctypes
import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.profiling.launch import Subject, torch_traces
from bench.profiling.trace import kernels

MANGLED = re.compile(rb"_Z[\w.$]{2,}")


@dataclass(frozen=True)
class Launched:
    """The distinct names of what a row's call ran on the device, copies and fills among them."""

    own: tuple[str, ...]
    foreign: tuple[str, ...]


def census(subject: Subject) -> Mapping[str, Launched]:
    """Row -> what one call launched; ProfileFailure when the process or its trace fails."""
    with tempfile.TemporaryDirectory(prefix="census-") as name:
        folder = Path(name)
        traces = torch_traces(subject, 1, folder)
        answers = (folder / "answer.jsonl").read_text().splitlines()
    libraries = {Path(path) for line in answers for path in json.loads(line)["libraries"]}
    build = Build(libraries, Path(subject.side.entry.rpartition(":")[0]).parent)
    found = {}
    for row, trace in traces.items():
        names = list(dict.fromkeys(kernel.name for kernel in kernels(trace)))
        found[row] = Launched(
            tuple(one for one in names if build.has(one)),
            tuple(one for one in names if not build.has(one)),
        )
    return found


class Build:
    """The kernels that a side brought: in libraries that it loaded, or as Python functions."""

    def __init__(self, libraries: Iterable[Path], folder: Path) -> None:
        """`folder` holds the side's Python sources, whose kernels bear their functions' names."""
        self._contents = [path.read_bytes() for path in libraries]
        mangled = {name for one in self._contents for name in MANGLED.findall(one)}
        self._names = {one for name in mangled for one in (name.decode(), _demangled(name))}
        self._names |= {name for file in folder.rglob("*.py") for name in _kernels_in(file)}

    def has(self, kernel: str) -> bool:
        """Whether a kernel is its own, by the name that a profiler shows."""
        if kernel in self._names:
            return True
        unmangled = kernel.encode()  # extern "C"
        return re.fullmatch(r"\w+", kernel) is not None and any(
            b"\0" + unmangled + b"\0" in one for one in self._contents
        )


def _kernels_in(file: Path) -> list[str]:
    """Functions that are compiled when called: decorated by something that ends in `jit`."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(re.search(r"jit\b", ast.unparse(one)) for one in node.decorator_list)
    ]


def _demangled(name: bytes) -> str:
    """A symbol as C++ spells it; as it is where it is none."""
    runtime = ctypes.CDLL("libstdc++.so.6")
    runtime.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = runtime.__cxa_demangle(name, None, None, ctypes.byref(status))
    if not text:
        return name.decode()
    try:
        return (ctypes.string_at(text)).decode()
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))
