# SPDX-License-Identifier: Apache-2.0
"""The project's own config.toml and workloads.json, and copies of them with something changed."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from bench.task.config import load_config

ROOT = Path(__file__).parents[2]
CONFIG_PATH = ROOT / "config.toml"
CONFIG_TEXT = CONFIG_PATH.read_text(encoding="utf-8")
CONFIG = load_config(CONFIG_PATH).resolved()
ROWS_PATH = ROOT / "workloads.json"
ROWS_TEXT = ROWS_PATH.read_text(encoding="utf-8")
ROWS = json.loads(ROWS_TEXT)


def leaves(table, at=()):
    for key, value in table.items():
        yield from leaves(value, (*at, key)) if isinstance(value, dict) else [(*at, key)]


LEAVES = sorted(leaves(CONFIG))


def changed(path, value):
    """The resolved config with another value at a leaf."""
    data = copy.deepcopy(CONFIG)
    table = data
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return data


def write_rows(tmp_path, text):
    """A workloads.json of this text or these bytes."""
    path = tmp_path / "workloads.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def edited_rows(row, **values):
    """The text of workloads.json with other values in one row."""
    data = copy.deepcopy(ROWS)
    data["rows"][row].update(values)
    return json.dumps(data)
