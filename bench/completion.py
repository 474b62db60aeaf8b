# SPDX-License-Identifier: Apache-2.0
"""How a command reads its flags and ends, and what it answers a shell that asks what may follow."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

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


def run_command(main: Callable[[Sequence[str] | None], int]) -> None:
    """Run a command's main; a user's mistake is one sentence and exit code 2."""
    try:
        code = main(None)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        code = 130
    sys.exit(code)
