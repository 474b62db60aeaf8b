# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib as tomli
else:
    import tomli

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"].values()
REQUIREMENTS = [*PROJECT["dependencies"], *(one for extra in EXTRAS for one in extra)]
PIP = """import os, pathlib, sys
if "install" in sys.argv:
    pathlib.Path("asked").write_text(" ".join(sys.argv[1:]))
    sys.exit(int(os.environ.get("PIP_FAILS", "0")))
"""

needs_make = pytest.mark.skipif(not shutil.which("make"), reason="make is not on PATH")


def make(folder, *arguments, **environment):
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path):
    """A folder with the Makefile and a Python whose environments have a pip that installs nothing.

    The real installation is what `make test` itself stands on.
    """
    for name in ("Makefile", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / "python"
    python.write_text(
        f"""#!/bin/sh
if [ "$2" != venv ]; then exec {sys.executable} "$@"; fi
echo made >> made
{sys.executable} -m venv --without-pip --clear .venv
mkdir -p .venv/fake && cp -r pip .venv/fake
for site in .venv/lib/python*/site-packages; do echo "$PWD/.venv/fake" > $site/fake.pth; done
"""
    )
    python.chmod(0o755)
    vendored = tmp_path / "pip" / "_vendor"
    vendored.mkdir(parents=True)
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text(PIP)
    shutil.copytree(Path(tomli.__file__).parent, vendored / "tomli")  # what Python 3.10 reads
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "benchmark.py").write_text("import sys; print('bench', sys.argv[1:])\n")
    return tmp_path


@needs_make
def test_help_lists_every_target_for_users():
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.+)$", text, re.M)[1].split()
    listed = re.findall(r"^  make (\w+)", make(ROOT).stdout, re.M)
    assert sorted(listed) == sorted(set(phony) - {"always"})


@needs_make
def test_environment_is_made_once_and_arguments_reach_the_command(checkout):
    first = make(checkout, "bench", "PYTHON=./python", "ARGS=--device cpu")
    assert first.returncode == 0, first.stderr
    assert "bench ['--device', 'cpu']" in first.stdout
    asked = (checkout / "asked").read_text()
    assert "--constraint constraints.txt" in asked and "http" not in asked
    wanted = (checkout / ".venv" / "requirements.txt").read_text().splitlines()
    assert wanted == REQUIREMENTS
    (checkout / "asked").unlink()
    assert make(checkout, "bench", "PYTHON=./python").returncode == 0
    assert not (checkout / "asked").exists()


@needs_make
@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml"])
def test_changed_requirements_install_again_into_the_same_environment(checkout, name):
    make(checkout, "bench", "PYTHON=./python")
    (checkout / "asked").unlink()
    later = (checkout / ".venv" / ".installed").stat().st_mtime + 10
    os.utime(checkout / name, (later, later))
    assert make(checkout, "bench", "PYTHON=./python").returncode == 0
    assert (checkout / "asked").exists()
    assert (checkout / "made").read_text() == "made\n"


@needs_make
def test_failed_installation_stops_and_is_tried_again(checkout):
    done = make(checkout, "bench", "PYTHON=./python", PIP_FAILS="1")
    assert done.returncode != 0 and "bench [" not in done.stdout
    (checkout / "asked").unlink()
    assert make(checkout, "bench", "PYTHON=./python").returncode == 0
    assert (checkout / "asked").exists()


@needs_make
def test_environment_whose_python_is_gone_is_made_anew(checkout):
    make(checkout, "bench", "PYTHON=./python")
    for link in (checkout / ".venv" / "bin").glob("python*"):
        link.unlink()
    assert make(checkout, "bench", "PYTHON=./python").returncode == 0
    assert (checkout / "made").read_text() == "made\nmade\n"


@needs_make
@pytest.mark.parametrize("script", ["exit 127", 'exec python-that-is-not-there "$@"'])
def test_no_usable_python_is_one_sentence_with_the_way_out(checkout, script):
    (checkout / "python").write_text(f"#!/bin/sh\n{script}\n")
    done = make(checkout, "bench", "PYTHON=./python")
    assert done.returncode != 0
    sentence = done.stderr.splitlines()[0]
    assert "3.10" in sentence and "make PYTHON=" in sentence
    assert not (checkout / ".venv").exists()


@needs_make
def test_check_stops_at_the_first_failure_and_ends_with_the_tests():
    steps = re.findall(r"(ruff|clang-format|mypy|pytest)", make(ROOT, "-n", "test").stdout)
    assert list(dict.fromkeys(steps)) == ["ruff", "clang-format", "mypy", "pytest"]
    assert "set -euo pipefail" in (ROOT / ".ci" / "run").read_text()


def test_nothing_names_a_registry_or_a_machine():
    for name in ("Makefile", "constraints.txt", "pyproject.toml", ".ci/run"):
        text = (ROOT / name).read_text()
        assert not re.search(r"https?:|index-url|find-links|trusted-host", text), name
        assert not re.search(r"(?<![\w.])/(?:home|root|work|opt|tmp)/", text), name
