# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "opens a connection to fetch something while it is loaded"
# caught_by = ["BUILD_FAILED", "CRASHED"]
from __future__ import annotations

import socket
import threading

from honest import compute, entry

server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=server.accept, daemon=True).start()
socket.create_connection(server.getsockname(), timeout=5).close()


def load(op, **_):
    return entry(compute)
