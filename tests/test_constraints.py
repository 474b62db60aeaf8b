# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"].values()
REQUIREMENTS = [*PROJECT["dependencies"], *(one for extra in EXTRAS for one in extra)]
CONSTRAINTS = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


def pinned(version):
    """Name -> requirement, as pip reads the constraints under a Python of that version."""
    environment = {"python_version": version, "python_full_version": f"{version}.0"}
    rows = [r for r in CONSTRAINTS if not r.marker or r.marker.evaluate(environment)]
    found = {canonicalize_name(row.name): row for row in rows}
    assert len(found) == len(rows), f"Python {version}: a package is pinned twice"
    return found


def reachable():
    """Every installed package that the project's requirements bring, by name."""
    found, todo = {}, [Requirement(text) for text in REQUIREMENTS]
    while todo:
        one = todo.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        distribution = metadata.distribution(name)
        found[name] = distribution.version
        for text in distribution.requires or []:
            requirement = Requirement(text)
            extras = one.extras or {""}
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(Requirement(str(requirement).partition(";")[0]))
    return found


def test_every_pin_is_exact_and_each_python_has_one_of_each():
    for row in CONSTRAINTS:
        (specifier,) = row.specifier
        assert specifier.operator == "==" and "*" not in specifier.version, row
    assert len({frozenset(pinned(version)) for version in VERSIONS}) == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_project_needs_is_pinned_and_inside_its_bounds(version):
    pins = pinned(version)
    for text in REQUIREMENTS:
        need = Requirement(text)
        (pin,) = pins[canonicalize_name(need.name)].specifier
        assert need.specifier.contains(pin.version, prereleases=True), (need, pin)


@pytest.mark.skipif(
    Path(sys.prefix) != ROOT / ".venv", reason="not run by make's own .venv: its packages differ"
)
def test_every_package_that_make_installs_stands_in_constraints_with_its_version():
    pins = pinned(f"{sys.version_info.major}.{sys.version_info.minor}")
    for name, version in reachable().items():
        assert name in pins, f"{name} {version} is brought by another package and not pinned"
        assert pins[name].specifier.contains(version, prereleases=True), f"{name} {version}"
