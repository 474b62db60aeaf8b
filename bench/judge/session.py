# SPDX-License-Identifier: Apache-2.0
"""The players and the memory of one run: who is seated where, and what each may see."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import torch

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.data import CaseData
from bench.judge.forks import fork_server
from bench.judge.players import PlayerProcess, Seat
from bench.judge.random_bits import RandomBits
from bench.judge.reply import Reply
from bench.player.memory import Memory, allocate, reset_persisting_lines
from bench.task.side import Side


class Session:
    """Seats one player a label; inputs are shared by all, outputs belong to one player each.

    Outputs are apart so that no player can read what another one computed.
    """

    def __init__(
        self,
        device: str,
        sides: Mapping[str, Side],
        time_limit_s: float,
        seed: int,
        *,
        whole: bool = False,
        images: Mapping[str, int] | None = None,
    ) -> None:
        """`whole` makes the time limit one for everything that is asked, not for each request.

        `images` says from which fork server a label's player comes.
        """
        self._images = dict(images or {})
        self._deadline = time.monotonic() + time_limit_s if whole else None
        self.device = device
        self.time_limit_s = time_limit_s
        self.sides = dict(sides)
        self.bits = RandomBits(device, seed)
        self._scratch: dict[str, torch.Tensor] = {}
        self._flush: torch.Tensor | None = None
        self._players: dict[str, PlayerProcess] = {}
        self._memory: dict[str, Memory] = {}
        self._outgrown: list[Memory] = []
        self._attached: dict[str, dict[str, Memory]] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for player in self._players.values():
            player.hang_up()
        for label in list(self._players):
            self.leave(label)
        for memory in (*self._memory.values(), *self._outgrown):
            memory.free()

    def seat(self, labels: Sequence[str]) -> None:
        """Start fresh players, all at once, and wait until each has its device."""
        for image in {self._images.get(label, 0) for label in labels}:
            fork_server(image)  # they import torch side by side
        for label in labels:
            player = PlayerProcess(
                self.sides[label], self._seat(), self.time_limit_s, self._images.get(label, 0)
            )
            player.start()
            self._players[label] = player
            self._attached[label] = {}
        for label in labels:
            self._players[label].ready()
            if self.device != "cpu":
                self.pin(label, max(os.sched_getaffinity(0)))

    def pin(self, label: str, core: int) -> None:
        """Let a player make its calls from one core.

        The others sleep meanwhile: identical code on different cores, or beside a busy sibling
        thread, launched 1.4 times slower.
        """
        self.seated(label).pin((core,))

    def leave(self, label: str) -> None:
        """End a player; seating the label again starts a fresh process."""
        if label in self._players:
            self._players.pop(label).stop()

    @property
    def pids(self) -> set[int]:
        """Process ids of the seated players."""
        return {player.pid for player in self._players.values()}

    def seated(self, label: str) -> PlayerProcess:
        """The label's player, started if there is none."""
        if label not in self._players:
            self.seat([label])
        return self._players[label]

    def data(self, label: str, case: Case) -> CaseData:
        """The judge's view of a case for one player; grows the memory it needs."""
        inputs = self._ensure(INPUTS, case.bytes_of(INPUTS))
        outputs = self._ensure(f"{OUTPUTS} of {label}", case.bytes_of(OUTPUTS))
        return CaseData(case, inputs.tensor, outputs.tensor)

    def bind(self, label: str, case: Case) -> Reply:
        """Let a player bind its side to every slot of a case; the reply's text is its plan."""
        self.data(label, case)
        self.share(label, INPUTS, self._memory[INPUTS])
        self.share(label, OUTPUTS, self._memory[f"{OUTPUTS} of {label}"])
        return self.seated(label).ask(
            {
                "do": "bind",
                "op": case.op.name,
                "tensors": case.message(self.device),
                "slots": case.slots,
                "outputs": len(case.op.outputs),
                "validated": True,
            },
            time_limit_s=self._left(),
        )

    def share(self, label: str, name: str, memory: Memory) -> None:
        """Attach a memory under a name, unless the player has it already."""
        player = self.seated(label)
        if self._attached[label].get(name) is not memory:
            player.attach(name, memory)
            self._attached[label][name] = memory

    def ask(self, label: str, request: Mapping[str, Any]) -> Reply:
        """Ask a seated player, after the judge's own work on the device is done."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)
        return self.seated(label).ask(request, time_limit_s=self._left())

    def _left(self) -> float | None:
        if self._deadline is None:
            return None
        return max(0.001, self._deadline - time.monotonic())

    def flush_caches(self, size: int) -> None:
        """Read as many bytes of nobody's: what the judge wrote is in memory, its lines are gone."""
        if self._flush is None or self._flush.numel() * 8 < size:
            self._flush = torch.zeros(-(-size // 8), dtype=torch.int64, device=self.device)
        self._flush.sum()
        if self.device.startswith("cuda"):
            reset_persisting_lines()

    def scratch(self, name: str, size: int) -> torch.Tensor:
        """At least `size` bytes that no player ever maps; what they held may be overwritten."""
        if name not in self._scratch or self._scratch[name].numel() < size:
            self._scratch.pop(name, None)  # freed first: two of them may not fit
            self._scratch[name] = torch.empty(size, dtype=torch.uint8, device=self.device)
        return self._scratch[name]

    def memory(self, name: str, size: int) -> Memory:
        """Memory of the judge's that players may map, under a name of its own."""
        return self._ensure(name, size)

    def _ensure(self, name: str, size: int) -> Memory:
        memory = self._memory.get(name)
        if memory is None or memory.size < size:
            if memory is not None:
                self._outgrown.append(memory)  # players may still map it: freed at the end
            memory = self._memory[name] = allocate(self.device, size)
        return memory

    def _seat(self) -> Seat:
        """On a CPU a player's libraries use every core; on a GPU one thread makes the calls."""
        cores = len(os.sched_getaffinity(0))
        return Seat(self.device, cores if self.device == "cpu" else 1)
