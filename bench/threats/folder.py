# SPDX-License-Identifier: Apache-2.0
"""The solution folder that a case becomes: what a competitor would hand in."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.task.checkout import ROOT
from bench.task.errors import UserError
from bench.threats.case import Threat

SHARED = ROOT / "tests" / "cheaters"
SOURCES = {"c++": "cpu/{op}.cc", "cuda": "cuda/{op}.cu"}

BUILD = """import sys
sys.path.insert(0, {folder!r})
from {case} import load
"""


def write_folder(threat: Threat, folder: Path) -> None:
    """Write the case as a folder laid out like solution/."""
    if threat.path.suffix == ".py":
        folder.mkdir(parents=True)
        (folder / "build.py").write_text(BUILD.format(folder=str(folder), case=threat.name))
        shutil.copy(threat.path, folder)
        shutil.copy(SHARED / "honest.py", folder)
        return
    shutil.copytree(ROOT / "solution", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in threat.declared.edit:
        file = folder / edit.file
        file.write_text(edited(threat.name, edit.file, file.read_text(), edit.find, edit.put))
    if threat.path.suffix != ".toml":
        shutil.copy(SHARED / "honest.h", folder / "include")
        source = folder / SOURCES[threat.language].format(op=threat.declared.op)
        source.write_text(with_entry(source.read_text(), threat.path.read_text()))


def edited(name: str, file: str, text: str, find: str, put: str) -> str:
    """The text with one passage replaced; UserError unless it stands there exactly once."""
    if text.count(find) != 1:
        raise UserError(
            f"{name}: expected {find!r} once in solution/{file}, got {text.count(find)} times;"
            " bring the case up to the source"
        )
    return text.replace(find, put)


def with_entry(honest: str, fragment: str) -> str:
    """The honest source exporting the fragment's `cheat(call)`, which may call `honest(call)`."""
    body, _, export = honest.rpartition("\nSOLUTION_EXPORT")
    if not body:
        raise UserError("solution: expected a source that ends with SOLUTION_EXPORT, got none")
    arguments = export[export.index("(") + 1 : export.index(")")].split(", ")
    if export.startswith("_CUDA"):
        run, describe = (
            f"solution::run_op<{arguments[2]}>",
            f"solution::describe_op<{arguments[2]}>",
        )
        device = "kDLCUDA"
    else:
        device, run, describe = arguments[2:5]
    return (
        f"{body}\nstatic int honest(const solution::Call& call) {{ return {run}(call); }}\n"
        f"{fragment}\n"
        f"SOLUTION_EXPORT({arguments[0]}, {arguments[1]}, {device}, cheat, {describe})\n"
    )
