# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""See whether this machine is ready for a run, and print what to export for a pinned one."""

from __future__ import annotations

if not __package__:
    __import__("sys").path[0] = str(__import__("pathlib").Path(__file__).resolve().parents[1])

import argparse
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from bench.completion import parse
from bench.record.toolchain import versions
from bench.task import host
from bench.task.checkout import ROOT
from bench.task.errors import UserError
from bench.task.nvml import Gpus, GpuState
from bench.task.pinning import exports, idle_gpu, pin_idle_gpu

FOLDERS = ("results", ".cache")
EXIT_CODES = """exit codes:
  0  ready: everything that a run on this machine's devices needs is there
  1  not ready: each problem is printed with its way out
  2  the flags cannot be understood"""


@dataclass(frozen=True)
class Report:
    """What preflight found; problems make it exit 1, notes do not."""

    folders: dict[str, str]
    versions: dict[str, str | None]
    cpu: str
    gpus: list[dict[str, object]]
    exports: dict[str, str]
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def pick_idle_gpu(
    environ: MutableMapping[str, str] = os.environ, nvml: ModuleType | None = None
) -> str:
    """Pin this process and its children to an idle GPU, before CUDA is asked; returns its UUID."""
    return pin_idle_gpu(Gpus(nvml), environ).uuid


def examine(
    root: Path, environ: Mapping[str, str] = os.environ, nvml: ModuleType | None = None
) -> Report:
    """Look at folders, tools and devices; nothing is left behind but the output folders."""
    gpus = Gpus(nvml)
    states = gpus.states()
    found = versions(gpus, environ)
    report = Report(
        folders={name: _writable(root / name) for name in FOLDERS},
        versions=found,
        cpu=f"{host.cpu_model()}, {len(host.usable_cores())} cores, "
        f"{host.memory_bytes() / 2**30:.1f} GiB",
        gpus=[_describe(state) for state in states],
        exports={},
    )
    for name, text in report.folders.items():
        if text != "writable":
            report.problems.append(f"{root / name}: {text}; choose another with --root FOLDER")
    _judge_tools(report, with_gpu=bool(states))
    if not states:
        why = gpus.missing or "NVML lists none"
        report.notes.append(f"no GPU ({why}): runs use the CPU, and cannot be pinned")
        return report
    try:
        report.exports.update(exports(idle_gpu(gpus, environ).uuid))
    except UserError as error:
        report.problems.append(str(error))
    return report


def _judge_tools(report: Report, *, with_gpu: bool) -> None:
    found, problems, notes = report.versions, report.problems, report.notes
    for package, name in (("torch", "torch"), ("tvm_ffi", "apache-tvm-ffi")):
        if not found[package]:
            problems.append(f"{name} is not installed: make .venv, or pip install {name}")
    if not found["g++"]:
        problems.append("g++ is not on PATH: install the distribution's g++")
    if not found["nvcc"]:
        way = "put the CUDA toolkit's bin on PATH or export CUDA_HOME"
        (problems if with_gpu else notes).append(f"nvcc is not found: {way}")
    if with_gpu and found["torch"] and not found["cuda"]:
        problems.append(f"torch {found['torch']} is built without CUDA: install a CUDA build")


def _describe(state: GpuState) -> dict[str, object]:
    return {**asdict(state), "busy": list(state.busy_reasons((os.getpid(),)))}


def _writable(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0")
    except OSError as error:
        return f"not writable: {error.strerror}"
    return "writable"


def show(report: Report) -> str:
    """The report as text, the lines to export last."""
    lines = [f"{'folder ' + name:<20} {text}" for name, text in report.folders.items()]
    lines += [f"{name:<20} {text or '-'}" for name, text in report.versions.items()]
    lines.append(f"{'cpu':<20} {report.cpu}")
    for gpu in report.gpus:
        state = "; ".join(map(str, gpu["busy"])) if isinstance(gpu["busy"], list) else ""
        lines.append(
            f"{'gpu ' + str(gpu['index']):<20} {gpu['uuid']} {gpu['name']}: {state or 'idle'}"
        )
    lines += [f"note: {text}" for text in report.notes]
    lines += [f"problem: {text}" for text in report.problems]
    if report.exports:
        lines += ["", "For a pinned run on an idle GPU:"]
        lines += [f"export {name}={shlex.quote(value)}" for name, value in report.exports.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, nvml: ModuleType | None = None) -> int:
    """Examine and print; the exit code says whether this machine is ready."""
    parser = argparse.ArgumentParser(
        prog="bench/preflight.py",
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=ROOT,
        metavar="FOLDER",
        help="where the output folders are made (default: this checkout)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, not lines")
    chosen = parse(parser, arguments)
    report = examine(chosen.root, nvml=nvml)
    print(json.dumps(asdict(report), indent=2) if chosen.json else show(report))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
