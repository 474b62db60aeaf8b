# SPDX-License-Identifier: Apache-2.0
"""Builds every op of every side before the first row, each in a player of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from bench.judge.players import PlayerProcess, Seat
from bench.judge.reply import PlayerFailure
from bench.task.config import Config
from bench.task.device import Device
from bench.task.op import Op
from bench.task.side import Side


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
