# SPDX-License-Identifier: Apache-2.0
"""What the compiler made of the kernels: one Kernel each, read from the library by cuobjdump."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
EVERY_ARCHITECTURE = {
    "architecture": ARCHITECTURES[0],
    "flags": (
        "-O3",
        "--threads=0",  # the architectures at once
        "-Werror=all-warnings",
        "-Xcompiler=-Wall,-Wextra,-Werror",
        "-Xptxas=--warn-on-spills,--warn-on-local-memory-usage,--warning-as-error",
        *(f"-gencode=arch=compute_{one[3:]},code={one}" for one in ARCHITECTURES[1:]),
    ),
}
"""Of a build: any warning is an error."""


@dataclass(frozen=True)
class Kernel:
    name: str
    """mangled: holds the op's function and the vector type"""
    opcodes: tuple[str, ...]
    """in the order of the code, with their modifiers: LDG.E.128.CONSTANT"""
    registers: int
    stack: int
    local: int

    @property
    def vector_bytes(self):
        found = re.search(r"3VecI.*?Li(\d+)E", self.name)
        return int(found[1]) if found else 0

    def all_of(self, opcode):
        return [one for one in self.opcodes if one.split(".")[0] == opcode]


def find_tool(name):
    """The tool of the toolkit or of the PyPI package; None where neither is there."""
    packages = Path(sysconfig.get_path("purelib")) / "nvidia"
    folders = [*os.get_exec_path(), "/usr/local/cuda/bin"]
    folders += [str(folder) for folder in packages.glob("cu*/bin")]
    return shutil.which(name, path=os.pathsep.join(folders))


def disassemble(library, architecture):
    """Every kernel in the library for one architecture."""
    path = os.pathsep.join([str(Path(find_tool("nvdisasm")).parent), os.environ["PATH"]])

    def listing(option):
        command = [find_tool("cuobjdump"), option, "-arch", architecture, str(library)]
        done = subprocess.run(
            command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
        )
        return done.stdout

    usage = {
        name: (int(registers), int(stack), int(local))
        for name, registers, stack, local in re.findall(
            r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)", listing("-res-usage")
        )
    }
    kernels = []
    for block in listing("-sass").split("Function : ")[1:]:
        name = block.split()[0]
        code = re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", block)
        kernels.append(Kernel(name, tuple(code), *usage[name]))
    return kernels
