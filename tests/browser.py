# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium on a pipe: opens a page, says what went wrong on it and what it asked for."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

PROGRAM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # CI runs as root in a container, where the sandbox cannot start
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class Browser:
    """One process; `open` gives it a fresh width and colour scheme."""

    def __init__(self, folder: Path) -> None:
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        # The protocol's pipes are 3 and 4, wherever os.pipe put ours.
        line = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", line, PROGRAM, *FLAGS, f"--user-data-dir={folder / 'profile'}"],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in), os.close(theirs_out)
        self._rest, self._number, self.events = b"", 0, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            os.close(self._to)
        self._process.terminate()
        self._process.wait(20)
        os.close(self._from)

    def ask(self, method: str, **parameters: object) -> dict:
        """Send a command of the DevTools protocol and wait for its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._number:
                assert "error" not in reply, reply
                return reply["result"]

    def open(self, page: Path, width: int, scheme: str) -> None:
        """Load a page at a width in CSS pixels, in `light` or `dark`."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])
        self.events.clear()
        self.ask("Page.navigate", url=page.as_uri())
        while not any(one["method"] == "Page.loadEventFired" for one in self.events):
            self._next()
        self.value("document.fonts.ready.then(() => 1)")

    def value(self, script: str) -> object:
        """What a JavaScript expression gives on the page, as plain data."""
        done = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def complaints(self) -> list[str]:
        """Console messages, exceptions and log entries since the page was opened."""
        said = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(one["params"]) for one in self.events if one["method"] in said]

    def requests(self) -> list[str]:
        """Every address that the page asked for since it was opened, itself first."""
        sent = [one for one in self.events if one["method"] == "Network.requestWillBeSent"]
        return [one["params"]["request"]["url"] for one in sent]

    def picture(self, path: Path) -> None:
        """A picture of the whole page."""
        done = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(done["data"]))

    def _next(self, seconds: float = 30) -> dict:
        end = time.monotonic() + seconds
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser said nothing"
            data = os.read(self._from, 1 << 20)
            assert data, "the browser ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message
