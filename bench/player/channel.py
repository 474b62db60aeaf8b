# SPDX-License-Identifier: Apache-2.0
"""One JSON message each way over a socket that the judge opened."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Mapping, Sequence
from typing import Any

MESSAGE_LIMIT = 1 << 17  # bytes; a reply with 2,048 samples needs a quarter of it
SEND_LIMIT_S = 5.0  # a player waits for requests, so its queue is empty unless it does not read


class ChannelClosed(Exception):
    """The other end is gone."""


class ProtocolError(Exception):
    """The other end sent something that is no message."""


class Channel:
    """A sequenced-packet socket: message borders are the kernel's, so none can be forged."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.end_of_other: int | None = None
        """The other process's descriptor: a child of it can hold the socket open after its end."""

    def fileno(self) -> int:
        """The descriptor, for select."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end; the other one sees ChannelClosed."""
        self._socket.close()

    def send(self, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send one message and open file descriptors; TimeoutError when nobody reads them."""
        data = json.dumps(message, allow_nan=False).encode()
        if len(data) > MESSAGE_LIMIT:
            raise ProtocolError(f"message: expected at most {MESSAGE_LIMIT} bytes, got {len(data)}")
        _, writable, _ = select.select([], [self._socket], [], SEND_LIMIT_S)
        if not writable:
            raise TimeoutError
        try:
            if descriptors:
                socket.send_fds(self._socket, [data], list(descriptors))
            else:
                self._socket.send(data)
        except (BrokenPipeError, ConnectionError) as error:
            raise ChannelClosed(str(error)) from error

    def receive(
        self, timeout_s: float | None = None, descriptors_max: int = 0
    ) -> tuple[dict[str, Any], list[int]]:
        """Return the next message and its descriptors; TimeoutError when none comes in time.

        Without room for descriptors the kernel drops what was sent: none stays open here.
        """
        sources: list[socket.socket | int] = [self._socket]
        if self.end_of_other is not None:
            sources.append(self.end_of_other)
        readable = select.select(sources, [], [], timeout_s)[0]
        if not readable:
            raise TimeoutError
        if self._socket not in readable:  # what was sent before the end still counts
            raise ChannelClosed("the other process ended")
        try:
            if descriptors_max:
                data, descriptors, flags, _ = socket.recv_fds(
                    self._socket, MESSAGE_LIMIT, descriptors_max
                )
            else:
                data, _, flags, _ = self._socket.recvmsg(MESSAGE_LIMIT)
                descriptors = []
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


def channel_pair() -> tuple[Channel, socket.socket]:
    """Open a channel; the second value is the end to hand to a player."""
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return Channel(mine), theirs
