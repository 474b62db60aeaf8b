# SPDX-License-Identifier: Apache-2.0
"""What the runners share: selectors, what they resolve to, exit codes."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.completion import run_command as run_command
from bench.judge.build import BUILDS
from bench.ops import OPS
from bench.record.machine import MachineProbe
from bench.run import Run
from bench.task.arithmetic import Rounding
from bench.task.checkout import ROOT
from bench.task.config import Config, load_config
from bench.task.device import make_current, resolve_device
from bench.task.errors import UserError, suggest
from bench.task.op import Op
from bench.task.workload import Workload, Workloads, load_workloads

EXIT_CODES = """exit codes:
  0  everything passed
  1  something failed; what passed is kept
  2  the request cannot be carried out; nothing was changed"""


def add_selectors(parser: argparse.ArgumentParser) -> None:
    """Add the flags that both runners take."""
    add = parser.add_argument
    add(
        "--rows",
        default="all",
        metavar="ROWS",
        help="all, production, grid, or row ids with commas between (default: all)",
    )
    add(
        "--op",
        metavar="OP",
        help="an op, or all (default: the task's ops, which config.toml names)",
    )
    add(
        "--rounding",
        metavar="ROUNDING",
        help="once, each_step or both (default: what config.toml says)",
    )
    add("--device", metavar="DEVICE", help="cpu, cuda or cuda:N (default: cuda:0, else cpu)")
    add(
        "--solution",
        type=Path,
        metavar="FOLDER",
        help="judge this folder, laid out like solution/ (default: solution/)",
    )
    add(
        "--language",
        metavar="LANGUAGE",
        help="back end of the solution on the chosen device (default: what config.toml says)",
    )
    add(
        "--config",
        type=Path,
        default=ROOT / "config.toml",
        metavar="FILE",
        help="the configuration (default: config.toml)",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of the configuration; recorded with the results; repeatable",
    )
    add(
        "--pick-idle-gpu",
        action="store_true",
        help="take a GPU on which no process runs, by UUID (default: the first visible one)",
    )
    add(
        "--cache",
        type=Path,
        default=BUILDS,
        metavar="FOLDER",
        help="where builds are kept (default: .cache/builds)",
    )
    add(
        "--seed",
        type=int,
        metavar="NUMBER",
        help="repeat the inputs of a run that recorded this seed at its end (default: drawn anew;"
        " secret from the players)",
    )


def prepare(arguments: argparse.Namespace) -> Run:
    """Read everything, choose the device and make it current before anything is built."""
    config = load_config(arguments.config)
    overrides = _overrides(arguments)
    config = config.override(overrides) if overrides else config
    workloads = load_workloads(config.workloads_path, OPS, config.task.workloads_sha256)
    ops = _ops(arguments.op, config)
    rows = _rows(arguments.rows, workloads, ops)
    roundings = _roundings(arguments.rounding, config)
    solution = (arguments.solution or ROOT / Path(config.solution.entry).parts[0]).resolve()
    if not solution.is_dir():
        raise UserError(f"--solution: expected a folder laid out like solution/, got {solution}")
    device = resolve_device(arguments.device, pick_idle=arguments.pick_idle_gpu)
    if arguments.language:
        config = config.override({f"solution.language.{device.type}": arguments.language})
    probe = MachineProbe(device)
    idle_before = probe.read()
    make_current(device)
    return Run(
        config,
        workloads,
        rows,
        ops,
        roundings,
        device,
        solution,
        arguments.cache.resolve(),
        _seed(arguments.seed),
        probe,
        idle_before,
    )


def _seed(given: int | None) -> int:
    if given is None:
        return secrets.randbits(62)
    if not 0 <= given < 1 << 62:
        raise UserError(f"--seed: expected a number below 2**62 and not below 0, got {given}")
    return given


def _overrides(arguments: argparse.Namespace) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for item in arguments.set:
        key, equals, text = item.partition("=")
        if not equals:
            raise UserError(f"--set: expected KEY=VALUE, got {item}")
        values[key] = _value(text)
    if arguments.rounding in (one.value for one in Rounding):
        values["solution.rounding"] = arguments.rounding
    return values


def _value(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _roundings(chosen: str | None, config: Config) -> tuple[Rounding, ...]:
    if chosen == "both":
        return tuple(Rounding)
    known = [*(one.value for one in Rounding), "both"]
    if chosen is not None and chosen not in known:
        raise UserError(f"--rounding: unknown {chosen}; {suggest(chosen, known)}")
    return (config.solution.rounding,)


def _ops(chosen: str | None, config: Config) -> tuple[Op, ...]:
    if chosen == "all":
        return tuple(OPS.values())
    at, names = ("task.ops", config.task.ops) if chosen is None else ("--op", (chosen,))
    for name in names:
        if name not in OPS:
            raise UserError(f"{at}: unknown op {name}; {suggest(name, [*OPS, 'all'])}")
    return tuple(OPS[name] for name in names)


def _rows(chosen: str, workloads: Workloads, ops: Sequence[Op]) -> tuple[Workload, ...]:
    by_id: Mapping[str, Workload] = {row.id: row for row in workloads.rows}
    if chosen in ("all", "production"):
        wanted = [row for row in workloads.rows if chosen == "all" or row.production]
    elif chosen == "grid":
        wanted = []
    else:
        for name in chosen.split(","):
            if name not in by_id:
                raise UserError(f"--rows: unknown row {name}; {suggest(name, by_id)}")
        wanted = [by_id[name] for name in dict.fromkeys(chosen.split(","))]
    rows = tuple(row for row in wanted if row.op in ops)
    if not rows and chosen != "grid":
        names = ", ".join(op.name for op in ops)
        raise UserError(f"--rows: {chosen} holds no row of {names}; leave --op or --rows out")
    return rows
