# SPDX-License-Identifier: Apache-2.0
"""Streams as queues whose work is done when somebody waits for it, each on its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from bench.player.producer import behind


class Stream:
    def __init__(self, device: str = "cuda:0") -> None:
        self.queued: list[Callable[[], None]] = []

    def synchronize(self) -> None:
        while self.queued:
            self.queued.pop(0)()


class Device:
    """What torch.cuda is here."""

    def __init__(self) -> None:
        self.players, self.default = Stream(), Stream()
        self.current = self.players
        self.slept = 0

    @contextlib.contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        self.current, before = stream, self.current
        yield
        self.current = before

    def sleep(self, cycles: int) -> None:
        assert cycles >= 10_000_000
        self.slept += 1

    def queue(self, work: Callable[[], None], stream: Stream | None = None) -> None:
        (stream or self.current).queued.append(work)


class Event:
    """Waits for the stream that it was recorded on."""

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing

    def record(self, stream: Stream) -> None:
        self.stream = stream

    def synchronize(self) -> None:
        self.stream.synchronize()

    def elapsed_time(self, end: Event) -> float:
        return 12.5


class Value:
    """A tensor of one number whose operations are queued on the current stream."""

    def __init__(self, device: Device, number: float) -> None:
        self.device, self.number = device, number

    def clone(self) -> Value:
        return Value(self.device, self.number)

    def zero_(self) -> None:
        self.copy_(Value(self.device, 0.0))

    def copy_(self, other: Value) -> None:
        self.device.queue(lambda: setattr(self, "number", other.number))


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    one = Device()
    fake = SimpleNamespace(
        current_stream=lambda device: one.players,
        Stream=Stream,
        stream=one.stream,
        Event=Event,
        _sleep=one.sleep,
    )
    monkeypatch.setattr(torch, "cuda", fake)
    return one


def doubled(device: Device, where: Callable[[], Stream]) -> tuple[float, list[float]]:
    """What two calls, which double their input on some stream, leave in their outputs."""
    inputs = [Value(device, 3.0), Value(device, 5.0)]
    outputs = [Value(device, -1.0), Value(device, -1.0)]

    def call(slot: int) -> None:
        def work() -> None:
            outputs[slot].number = 2 * inputs[slot].number

        stream = where()
        device.queue(work, stream)
        if stream is not device.players:
            stream.synchronize()  # a device does at once what no earlier work holds up

    calls = [lambda: call(0), lambda: call(1)]

    def produce(value: Value, tensor: Value) -> None:
        tensor.copy_(value)

    us = behind("cuda:0", calls, cast(Any, [[inputs[0]], [inputs[1]]]), cast(Any, produce))
    assert [one.number for one in inputs] == [3.0, 5.0], "the judge finds its inputs again"
    return us, [one.number for one in outputs]


def test_a_call_on_the_current_stream_finds_what_was_produced_there(device: Device) -> None:
    assert doubled(device, lambda: device.current) == (12500.0, [6.0, 10.0])
    assert device.slept == 2


def test_a_call_on_the_default_stream_finds_zeros(device: Device) -> None:
    assert doubled(device, lambda: device.default)[1] == [0.0, 0.0]


def test_a_call_on_the_stream_of_its_first_call_finds_zeros(device: Device) -> None:
    first: list[Stream] = []

    def where() -> Stream:
        first.append(device.current)
        return first[0]

    assert doubled(device, where)[1] == [0.0, 0.0]


def test_a_cpu_has_no_streams() -> None:
    with pytest.raises(NotImplementedError, match="got cpu"):
        behind("cpu", [], [], lambda: None)
