# SPDX-License-Identifier: Apache-2.0
"""Where builds are kept; every op built before the first row, each in a player of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from bench.judge.players import PlayerProcess, Seat
from bench.judge.reply import PlayerFailure
from bench.task.config import Config
from bench.task.device import Device
from bench.task.op import Op
from bench.task.side import Side

BUILDS = Path(__file__).resolve().parents[2] / ".cache" / "builds"


def build_folder(cache: Path, name: str, digest: str = "") -> Path:
    """The one folder of builds that a side's players may write, by the digest of its sources.

    A player loads what lies there. So the floors have theirs, and no solution writes another's.
    """
    return cache / "-".join(filter(None, [name, digest[:16]]))


def build_all(sides: Iterable[Side], ops: Sequence[Op], device: Device, config: Config) -> None:
    """Fill the build cache, as many compilers at once as there are cores.

    A build that fails is left to the row that needs it: it fails there with the compiler's words.
    """
    wanted = [(side, op) for side in sides if side.name == "solution" for op in ops]
    limit_s = config.benchmark.row_time_limit_s

    def build(one: tuple[Side, Op]) -> None:
        player = PlayerProcess(one[0], Seat(device.torch_device), limit_s)
        with suppress(PlayerFailure):
            player.start()
            try:
                player.ready()
                player.ask({"do": "load", "op": one[1].name})
            finally:
                player.stop()

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(build, wanted))
