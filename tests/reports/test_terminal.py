# SPDX-License-Identifier: Apache-2.0
"""What a command writes to a terminal, to a pipe, and to a shell that asks for completions."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli_document import commands, help_text
from tests.reports.made_results import records, write

ROOT = Path(__file__).resolve().parents[2]
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38)[;m]")


@pytest.fixture
def results(tmp_path):
    return write(tmp_path / "a.jsonl", records())


def on_a_terminal(*words, **environment):
    """What a command writes to a terminal of its own."""
    clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    ours, theirs = pty.openpty()
    command = subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env={**clean, "TERM": "xterm-256color", **environment},
        stdout=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        if not part:
            break
        written += part
    os.close(ours)
    assert command.wait() == 0
    return written


def test_colours_are_for_terminals_and_not_where_no_color_asks_for_none(results):
    words = ("bench/report.py", str(results))
    assert COLOUR.search(on_a_terminal(*words))
    assert not COLOUR.search(on_a_terminal(*words, NO_COLOR="1"))
    piped = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, check=True)
    assert b"FAST" in piped.stdout and b"\x1b" not in piped.stdout


def test_a_shell_is_told_the_flags_of_a_script_that_python_runs():
    folder = Path(sys.prefix) / "bin"
    script = """
eval "$(activate-global-python-argcomplete --dest=- 2>/dev/null)"
COMP_WORDS=(python bench/report.py --ga) COMP_CWORD=2; COMP_TYPE=9
COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
_python_argcomplete_global python --ga bench/report.py
echo "${COMPREPLY[@]}"
"""
    if not shutil.which("activate-global-python-argcomplete", path=str(folder)):
        pytest.skip("argcomplete is not installed beside this Python")
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["--gauntlet"], done.stderr


@pytest.mark.parametrize("module", [one for one in commands(ROOT) if one.count(".") == 1])
def test_every_command_says_how_it_ends_and_can_be_completed(module):
    if module != "bench.cli_document":
        assert "exit codes:" in help_text(module)
        head = (ROOT / f"{module.replace('.', '/')}.py").read_bytes()[:1024]
        assert b"PYTHON_ARGCOMPLETE_OK" in head
