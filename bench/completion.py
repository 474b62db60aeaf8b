# SPDX-License-Identifier: Apache-2.0
"""How a command reads its flags, and what it answers a shell that asks what may come next."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from bench.task.errors import UserError


def parse(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """The flags; where a shell has asked for completions it gets them and the process ends."""
    if "_ARGCOMPLETE" in os.environ:
        try:
            import argcomplete
        except ImportError:
            raise UserError(
                "argcomplete: needed for completion, not installed; run make, or install what"
                " pyproject.toml lists as report"
            ) from None
        argcomplete.autocomplete(parser)
    return parser.parse_args(argv)
