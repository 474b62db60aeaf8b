# SPDX-License-Identifier: Apache-2.0
"""One JSON message each way over a socket that the judge opened."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

MESSAGE_LIMIT = 1 << 17  # bytes; a reply with 2,048 samples needs a quarter of it


class ChannelClosed(Exception):
    """The other end is gone."""


class ProtocolError(Exception):
    """The other end sent something that is no message."""


class Channel:
    """A sequenced-packet socket: message borders are the kernel's, so none can be forged."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.spin = False
        """Poll instead of sleep: a process that slept launches slower (eager 18 us against 13)."""

    def fileno(self) -> int:
        """The descriptor, for select."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end; the other one sees ChannelClosed."""
        self._socket.close()

    def send(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send one message and, with it, open file descriptors."""
        data = json.dumps(message, allow_nan=False).encode()
        if len(data) > MESSAGE_LIMIT:
            raise ProtocolError(f"message: expected at most {MESSAGE_LIMIT} bytes, got {len(data)}")
        try:
            if descriptors:
                socket.send_fds(self._socket, [data], list(descriptors))
            else:
                self._socket.send(data)
        except (BrokenPipeError, ConnectionError) as error:
            raise ChannelClosed(str(error)) from error

    def receive(self, timeout_s: float | None = None) -> tuple[dict[str, Any], list[int]]:
        """Return the next message and its descriptors; TimeoutError when none comes in time."""
        self._wait(timeout_s)
        try:
            data, descriptors, flags, _ = socket.recv_fds(self._socket, MESSAGE_LIMIT, 4)
        except ConnectionError as error:
            raise ChannelClosed(str(error)) from error
        if not data:
            raise ChannelClosed("the other end closed the channel")
        if flags & socket.MSG_TRUNC:
            raise ProtocolError(f"message: expected at most {MESSAGE_LIMIT} bytes, got more")
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ProtocolError(f"message: expected JSON, got {data[:80]!r}") from error
        if not isinstance(message, dict):
            raise ProtocolError(f"message: expected an object, got {data[:80]!r}")
        return message, list(descriptors)

    def _wait(self, timeout_s: float | None) -> None:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            readable, _, _ = select.select([self._socket], [], [], 0 if self.spin else left)
            if readable:
                return
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError


def channel_pair() -> tuple[Channel, socket.socket]:
    """Open a channel; the second value is the end to hand to a player."""
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return Channel(mine), theirs
