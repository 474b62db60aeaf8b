# SPDX-License-Identifier: Apache-2.0
"""Freeze workloads.json as it is now: `python -m bench.task.freeze`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from bench.ops import OPS
from bench.task.config import load_config
from bench.task.errors import ConfigError, UserError
from bench.task.workload import load_workloads

DIGEST = re.compile(r'^(workloads_sha256\s*=\s*)(["\'])[0-9a-f]{64}\2', re.MULTILINE)


def freeze(path: Path) -> tuple[str, str]:
    """Write the digest of the workloads into the config, which else stays as it is: old, new."""
    config = load_config(path)
    workloads = load_workloads(config.workloads_path, OPS, config.task.workloads_sha256)
    before = path.read_text(encoding="utf-8")
    after, count = DIGEST.subn(rf"\g<1>\g<2>{workloads.sha256}\g<2>", before)
    if count != 1:
        raise ConfigError(
            f"{path}: expected one line that begins with workloads_sha256 =, got {count}"
        )
    path.write_text(after, encoding="utf-8")
    if load_config(path).task.workloads_sha256 != workloads.sha256:
        path.write_text(before, encoding="utf-8")
        raise ConfigError(f"{path}: the digest could not be replaced; set it to {workloads.sha256}")
    return config.task.workloads_sha256, workloads.sha256


def main(arguments: list[str] | None = None) -> int:
    """Freeze, and print what changed."""
    parser = argparse.ArgumentParser(prog="python -m bench.task.freeze", description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("config.toml"), help="%(default)s")
    try:
        old, new = freeze(parser.parse_args(arguments).config)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"already frozen: {new}" if old == new else f"workloads_sha256: {old} -> {new}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
