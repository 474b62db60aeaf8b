# SPDX-License-Identifier: Apache-2.0
"""Imports point one way: a package's docstring lists its modules, each using only those above."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "bench"
PACKAGES = sorted(folder.name for folder in BENCH.iterdir() if (folder / "__init__.py").is_file())
ORDERED = [name for name in PACKAGES if name not in ("ops", "floor", "rivals")]
COMMANDS = sorted(
    file for file in BENCH.glob("*.py") if 'if __name__ == "__main__":' in file.read_text()
)
# Commands may read everything; a package's own command is named apart in its docstring.
OWN_COMMANDS = {"bench.task.freeze", "bench.record.baseline_source"}


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def imports(file: Path) -> frozenset[str]:
    """Every module a file names in an import, `from a import b` as a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return frozenset(found)


def listed(package: Path) -> list[str]:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    names = re.findall(r"^(\w+)(?:\.py)?  +\S", text, re.MULTILINE)
    # The last line of a package's list may name its commands, which stand above all the rest.
    return [name for name in names if name != "commands"]


def sources(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if "__pycache__" not in file.parts)


def targets(file: Path, package: str) -> set[str]:
    """The direct children of a package that a file imports from."""
    found = (name.removeprefix(f"{package}.") for name in imports(file) if name.startswith(package))
    return {name.partition(".")[0] for name in found}


def test_bench_lists_every_package_and_shared_module() -> None:
    modules = {file.stem for file in BENCH.glob("*.py") if file not in COMMANDS} - {"__init__"}
    missing = (set(PACKAGES) | modules) - set(listed(BENCH))
    assert not missing, f"bench/__init__.py: its docstring leaves out {sorted(missing)}"


@pytest.mark.parametrize("name", ORDERED)
def test_a_package_lists_its_modules(name: str) -> None:
    package = BENCH / name
    own = {f.stem for f in package.glob("*.py") if module_of(f) not in OWN_COMMANDS}
    assert own - {"__init__"} == set(listed(package))


@pytest.mark.parametrize("package", [BENCH, *(BENCH / name for name in ORDERED)], ids=module_of)
def test_a_module_imports_only_from_those_listed_above_it(package: Path) -> None:
    order = listed(package)
    for position, name in enumerate(order):
        files = [package / f"{name}.py"]
        if not files[0].is_file():
            files = sources(package / name)
        for file in files:
            if module_of(file) in OWN_COMMANDS:
                continue
            wrong = targets(file, module_of(package)) & set(order[position + 1 :])
            assert not wrong, f"{module_of(file)} imports {sorted(wrong)}, listed below {name}"


def test_only_the_adapter_loads_a_side_and_only_processes_of_one_side_use_it() -> None:
    for file in sources(BENCH):
        names = imports(file)
        sides = {name for name in names if name.partition(".")[0] in ("baseline", "solution")}
        assert not sides, f"{file}: imports {sorted(sides)}"
        users = {"bench.adapter", "bench.player.__main__", "bench.profiling.target"}
        if "bench.adapter" in names:
            assert module_of(file) in users, f"{module_of(file)} imports the adapter"
        if "importlib.util" in names:
            assert module_of(file) == "bench.adapter", f"{module_of(file)} loads files by path"


def test_the_judge_never_imports_the_player_process() -> None:
    for file in sources(BENCH):
        assert "bench.player.__main__" not in imports(file), file


@pytest.mark.parametrize("side", ["baseline", "solution"])
def test_a_side_imports_neither_bench_nor_the_other_side(side: str) -> None:
    files = sources(ROOT / side)
    assert files
    for file in files:
        roots = {name.partition(".")[0] for name in imports(file)}
        wrong = roots & ({"bench", "baseline", "solution"} - {side})
        assert not wrong, f"{file}: imports {sorted(wrong)}"


def test_statistics_know_no_file_no_op_and_no_torch() -> None:
    names = {name.partition(".")[0] for name in imports(BENCH / "timing" / "statistics.py")}
    assert names.isdisjoint({"torch", "bench", "pathlib", "os", "io"})


EVERY_COMMAND = """
import contextlib, io, runpy, sys
for command in sys.argv[2:]:
    sys.path[0] = str(command).rpartition("/")[0] or "."  # what the interpreter puts there
    run = runpy.run_path if sys.argv[1] == "script" else runpy.run_module
    text, sys.argv[0] = io.StringIO(), command
    argv, sys.argv = sys.argv, [command, "--help"]
    try:
        with contextlib.redirect_stdout(text):
            run(command, run_name="__main__")
    except SystemExit as end:
        assert not end.code, (command, end.code)
    sys.argv = argv
    print(command, text.getvalue().partition(" ")[0])
"""


@pytest.mark.parametrize("form", ["script", "module"])
def test_every_command_runs_as_a_script_and_as_a_module(form: str, tmp_path: Path) -> None:
    """From another folder as a script: the path set-up of the script form is its own."""
    names = [str(file) if form == "script" else module_of(file) for file in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-c", EVERY_COMMAND, form, *names],
        cwd=tmp_path if form == "script" else ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} usage:" for name in names]


def test_a_page_needs_no_torch() -> None:
    program = "import sys, bench.report; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "False", "torch takes 2 of the 5 seconds that a page may take"
