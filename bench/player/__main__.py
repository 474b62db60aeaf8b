# SPDX-License-Identifier: Apache-2.0
"""The player: maps the judge's memory, binds one side to it, and samples calls when told to.

It learns no seed, no expected value and no purpose: a call that will be compared and a call that
will be timed arrive as the same `sample` request. Every reply has the same plain fields.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from bench.adapter import Adapter
from bench.player.channel import Channel, ChannelClosed
from bench.player.marks import bit_sum
from bench.player.memory import attach
from bench.player.producer import behind
from bench.task.side import Side
from bench.timing.clocks import Call, clock_for

TEXT_LIMIT = 8000  # characters of an error that travel; a compiler says more, but not more useful


class Player:
    """One side, one device; state is what has been attached and bound."""

    def __init__(self, hello: Mapping[str, Any]) -> None:
        self._device = hello["device"]
        if self._device.startswith("cuda"):
            torch.cuda.set_device(self._device)
            # A stream of its own: a kernel that ignores the current stream loses its order.
            stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
            torch.cuda.set_stream(stream)
        else:
            torch.set_num_threads(hello["threads"])
        self._adapter = Adapter(Side.from_json(hello["side"]), self._device)
        self._clock = clock_for(self._device)
        self._memory: dict[str, torch.Tensor] = {}
        self._calls: list[Call] = []
        self._inputs: list[list[torch.Tensor]] = []
        self._outputs: list[list[torch.Tensor]] = []
        self._windows: dict[tuple[int, int, int], list[Call]] = {}

    def attach(self, request: Mapping[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Map one memory of the judge under a name."""
        self._forget()
        self._memory[request["name"]] = attach(request["handle"], descriptors)
        return {}

    def load(self, request: Mapping[str, Any], _: list[int]) -> dict[str, Any]:
        """Build and load an op without calling it."""
        self._adapter.load(request["op"])
        return {}

    def bind(self, request: Mapping[str, Any], _: list[int]) -> dict[str, Any]:
        """Bind the op to every slot of a case; the reply's text is the launch plan."""
        op, validated = request["op"], request["validated"]
        self._forget()
        self._adapter.load(op)
        first = self._tensors(request["tensors"], 0)
        for slot in range(request["slots"]):
            tensors = self._tensors(request["tensors"], slot) if slot else first
            self._calls.append(self._adapter.bind(op, tensors, validated=validated))
            inputs = len(tensors) - request["outputs"]
            self._inputs.append(tensors[:inputs])
            self._outputs.append(tensors[inputs:])
        return {"text": self._adapter.plan(op, first) if validated else ""}

    def sample(self, request: Mapping[str, Any], _: list[int]) -> dict[str, Any]:
        """Warm up on one slot, then run slots [first, first + count), `repeat` times over."""
        first, count, repeat = request["first"], request["count"], request["repeat"]
        calls = self._windows.setdefault(
            (first, count, repeat), self._calls[first : first + count] * repeat
        )
        if len(calls) != count * repeat:
            raise IndexError(f"slots: expected below {len(self._calls)}, got {first + count}")
        if request["warm_calls"]:
            warm = self._calls[request["warm_slot"]]
            limits = request["warm_calls"], request["warm_us"], request["warm_us_max"]
            self._clock.warm(warm, *limits)
        if request["regime"] == "loop":
            return {"us": [self._clock.loop(calls)]}
        if request["regime"] == "graph":
            return {"us": [self._clock.graph(calls)]}
        if request["regime"] == "behind":
            inputs = self._inputs[first : first + count] * repeat
            produce = _late_copy(request["producer"])
            return {"us": [behind(self._device, calls, inputs, produce)]}
        marks: list[torch.Tensor] = []
        after = [partial(self._mark, slot, marks) for slot in range(first, first + count)]
        us = self._clock.each(calls, after * repeat)
        return {"us": us, "marks": torch.stack(marks).tolist() if marks else []}

    def _mark(self, slot: int, marks: list[torch.Tensor]) -> None:
        """Sum a slot's output bits on the current stream: the state at the call's return."""
        marks.append(bit_sum(self._outputs[slot]))

    def _forget(self) -> None:
        self._clock.forget()
        self._calls, self._inputs, self._outputs, self._windows = [], [], [], {}

    def _tensors(self, specs: list[Mapping[str, Any]], slot: int) -> list[torch.Tensor]:
        return [self._tensor(spec, slot) for spec in specs]

    def _tensor(self, spec: Mapping[str, Any], slot: int) -> torch.Tensor:
        dtype = getattr(torch, spec["dtype"])
        if spec["device"] != self._device:  # only a rejection asks for memory that is elsewhere
            return torch.empty_strided(
                spec["shape"], spec["strides"], dtype=dtype, device=spec["device"]
            )
        memory = self._memory[spec["memory"]].view(dtype)
        offset = (spec["offset"] + slot * spec["slot_bytes"]) // memory.element_size()
        return memory.as_strided(spec["shape"], spec["strides"], offset)


def _late_copy(library: str) -> Callable[..., None]:
    """The judge's kernel that writes a call's inputs late."""
    import tvm_ffi  # lazily: a solution in Python alone needs it here only

    late_copy: Callable[..., None] = tvm_ffi.load_module(library)["late_copy"]
    return late_copy


def serve(channel: Channel) -> None:
    """Answer requests until the judge closes the channel."""
    hello, _ = channel.receive()
    stage = "start"
    player: Player | None = None
    request: Mapping[str, Any] = hello
    descriptors: list[int] = []
    while True:
        reply: dict[str, Any] = {"id": request["id"], "ok": True, "us": [], "marks": []}
        reply.update(kind="", text="")
        try:
            if player is None:
                player = Player(hello)
            else:
                stage = request["do"]
                handler: Callable[..., dict[str, Any]] = getattr(player, stage)
                reply.update(handler(request, descriptors))
        except Exception as error:
            # The one place where a side's failure becomes words for the judge's record.
            text = f"{error}".strip() or repr(error)
            reply.update(ok=False, kind=type(error).__name__, text=text[-TEXT_LIMIT:])
        channel.send(reply)
        request, descriptors = channel.receive(descriptors_max=1)


def main() -> None:
    """Serve the channel whose descriptor is the only argument."""
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    with contextlib.suppress(ChannelClosed):
        serve(channel)
    os._exit(0)  # nothing that a side registered for later runs


if __name__ == "__main__":
    main()
