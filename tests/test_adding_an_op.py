# SPDX-License-Identifier: Apache-2.0
"""docs/adding_an_op.md, word for word: its files are written, and its commands run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.record.toolchain import find_nvcc
from solution import build as solution_build
from tests.clone import Clone, replace_once
from tests.small_run import ROOT

TEXT = (ROOT / "docs" / "adding_an_op.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
(ROW,) = re.findall(r"^```json row\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
(COMMANDS,) = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
OP = "gated_difference"
OWN = {f"bench/ops/{OP}.py", f"baseline/{OP}.py", f"solution/cpu/{OP}.cc"}


def test_three_files_a_name_and_a_row_make_an_op(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    for name in OWN:
        assert not (ROOT / name).exists()
        (tmp_path / name).write_text(FILES[name])
    table = tmp_path / "bench" / "ops" / "__init__.py"
    for indent in (4, 8):  # the import and the table
        before = f"\n{' ' * indent}broadcast_add_4d,\n"
        replace_once(table, before, f"{before}{' ' * indent}{OP},\n")
    rows = json.loads((tmp_path / "workloads.json").read_text())
    row = json.loads(ROW)
    rows["rows"].append(row)
    (tmp_path / "workloads.json").write_text(json.dumps(rows))
    freeze, correctness, benchmark, report = COMMANDS.splitlines()
    assert clone.sh(freeze).returncode == 0
    checked = clone.sh(correctness)
    found = re.search(r"^(\d+)/\1 PASS$", checked.stdout, re.MULTILINE)
    assert found and int(found[1]) > 100, checked.stdout
    timed = clone.sh(benchmark)
    assert timed.returncode == 0 and re.search(r"each_step: geomean .* over 1 rows", timed.stdout)
    reported = clone.sh(report)
    assert reported.returncode == 0 and row["id"] in reported.stdout


@pytest.mark.skipif(not find_nvcc(), reason="no nvcc: the CUDA templates cannot be compiled here")
@pytest.mark.parametrize("name", sorted(one for one in FILES if one.endswith(".cu")))
def test_the_cuda_templates_compile(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / Path(name).name).write_text(FILES[name])
    (tmp_path / "include").symlink_to(ROOT / "solution" / "include")
    monkeypatch.setattr(solution_build, "FOLDER", tmp_path)
    strict = ("-O3", "-Werror=all-warnings", "-Xptxas=--warn-on-spills,--warning-as-error")
    built = solution_build.build(
        Path(name).stem,
        language="cuda",
        rounding="each_step",
        architecture="sm_90",
        flags=strict,
        cache=tmp_path / "cache",
    )
    assert built.path.stat().st_size > 0
