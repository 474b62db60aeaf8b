# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """A mistake in what the user gave: one sentence, which a command prints before it exits 2."""


class ConfigError(UserError):
    """config.toml, or a flag that overrides it, cannot be used."""


class WorkloadError(UserError):
    """workloads.json cannot be used."""


def suggest(name: str, known: Iterable[str], prefix: str = "") -> str:
    """End an error message with the nearest known name, or with all of them when none is near."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {prefix}{near[0]}?"
    return f"expected one of {', '.join(prefix + one for one in names)}"
