# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from bench import sanitize as command
from bench.ops import OPS
from bench.profiling.request import Asked
from bench.profiling.sanitizer import asked, found_in, sanitize
from bench.profiling.target import tensors_of
from bench.profiling.trace import ProfileFailure
from bench.task.errors import UserError
from bench.task.grid import Point
from bench.task.side import Side

OP = OPS["residual_gate_add"]
POINT = Point("row", {"B": 1, "L": 3, "D": 8}, "bfloat16", {"gate": 1})
SIDE = Side("solution", "/s/build.py:load", "cuda", "once", (), "/cache")
MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 2 bytes
=========     at void k<float>(float*)+0x1f0
=========     by thread (31,0,0) in block (1,0,0)
========= Invalid __global__ write of size 4 bytes
========= Invalid __shared__ read of size 4 bytes
========= Invalid __global__ read of size 8 bytes
========= ERROR SUMMARY: 4 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k+0x30 and Read access at k+0x50
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
CLEAN_RACES = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"


@pytest.mark.parametrize(
    ("text", "errors", "words"),
    [
        (MEMCHECK, 4, ["Invalid __global__ write of size 2 bytes", "of size 4", "__shared__ read"]),
        (RACECHECK, 1, ["Race reported between Write access"]),
        (CLEAN, 0, []),
        (CLEAN_RACES, 0, []),
        ("========= Error: the driver is too old\n", None, ["the driver is too old"]),
    ],
)
def test_a_tools_summary_is_counted_and_its_first_errors_kept(
    text: str, errors: int | None, words: list[str]
) -> None:
    count, found = found_in(text)
    assert count == errors
    assert len(found) == len(words)
    assert all(word in one for word, one in zip(words, found, strict=True))


def fake(tmp_path: Path, says: str, answer: str | None) -> str:
    """A program called as compute-sanitizer is; it makes no calls but may say that they were."""
    script = tmp_path / "compute-sanitizer"
    script.write_text(
        f"#!{sys.executable}\n"
        "import json, os, pathlib, sys\n"
        "assert sys.argv[1:3] == ['--tool', 'memcheck']\n"
        "assert sys.argv[4:6] == ['-m', 'bench.profiling.target']\n"
        "assert os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] == '1'\n"
        "request = json.loads(pathlib.Path(sys.argv[6]).read_text())\n"
        "assert request['rows'][0]['offsets'] == {'gate': 1}\n"
        f"print({says!r})\n"
        f"answer = {answer!r}\n"
        "file = pathlib.Path(request['folder']) / 'answer.jsonl'\n"
        "if answer is not None: file.write_text(json.dumps({'missing': answer}) + '\\n')\n"
    )
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize(
    ("says", "answer", "errors", "missing"),
    [
        (CLEAN, "", 0, ""),
        (MEMCHECK, "", 4, ""),
        (MEMCHECK, None, 4, ""),
        (CLEAN, "none", 0, "none"),
    ],
)
def test_a_side_is_called_under_the_tool_without_the_allocators_blocks(
    says: str, answer: str | None, errors: int, missing: str, tmp_path: Path
) -> None:
    program = fake(tmp_path, says, answer)
    found = sanitize(SIDE, asked(OP, [POINT]), "cuda:0", program, "memcheck", tmp_path)
    assert (found.errors, found.missing) == (errors, missing)


@pytest.mark.parametrize(("says", "answer"), [("no device", ""), (CLEAN, None)])
def test_a_tool_without_a_summary_or_calls_has_found_nothing_out(
    says: str, answer: str | None, tmp_path: Path
) -> None:
    program = fake(tmp_path, says, answer)
    with pytest.raises(ProfileFailure, match="memcheck: expected a summary and every call made"):
        sanitize(SIDE, asked(OP, [POINT]), "cuda:0", program, "memcheck", tmp_path)


def test_tensors_lie_off_their_alignment_as_asked_and_copies_hold_the_same_values() -> None:
    one = Asked("r", OP.name, "row", {"B": 1, "L": 3, "D": 8}, "bfloat16", 2, {"gate": 3})
    first, second = tensors_of(one, "cpu")
    assert [tensor.storage_offset() for tensor in first] == [0, 0, 3, 0]
    assert [tensor.storage_offset() for tensor in second] == [0, 0, 3, 0]
    assert all(mine.equal(yours) for mine, yours in zip(first, second, strict=True))
    assert first[0].data_ptr() != second[0].data_ptr()


def test_a_request_that_cannot_be_carried_out_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UserError, match="needs a GPU, got cpu"):
        command.main(["--device=cpu"])
    with pytest.raises(UserError, match="--step: expected at least 1, got 0"):
        command.main(["--device=cpu", "--step=0"])
    with pytest.raises(UserError, match="takes points of the grid, got production"):
        command.main(["--device=cpu", "--rows=production"])
    monkeypatch.setattr(command, "find_instrument", lambda name: None)
    run = command.prepare(command.parser().parse_args(["--device=cpu"]))
    run = dataclasses.replace(run, device=dataclasses.replace(run.device, type="cuda"))
    with pytest.raises(UserError, match=r"compute-sanitizer is neither on PATH nor in .*install"):
        command.program_for(run)
