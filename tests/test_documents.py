# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from bench.cli_document import commands, help_text

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = {path.name: path.read_text(encoding="utf-8") for path in DOCUMENTS}
every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


def blocks(text, *languages):
    """The fenced code blocks of a document in these languages."""
    return [
        body
        for language, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
        if language in languages
    ]


def prose(text):
    """A document without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def shell_lines():
    for path in DOCUMENTS:
        for block in blocks(path.read_text(encoding="utf-8"), "sh"):
            for line in block.splitlines():
                yield pytest.param(line, id=f"{path.name}: {line}")


def make_targets():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.M))


@every_document
def test_a_document_opens_with_the_question_it_answers(path):
    title, first = path.read_text(encoding="utf-8").split("\n\n")[:2]
    assert title.startswith("# ")
    assert title.endswith("?") or first.strip("*").endswith("?"), first


@every_document
def test_a_document_names_no_path_of_a_machine_and_no_registry(path):
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"(?<![\w.)>])(?:/(?:home|root|work|tmp|opt|usr|var|mnt)/\S*|~/\S*)", text)
    found += re.findall(r"\b(?:pypi|pythonhosted|files\.\w+|index\.\w+)\.(?:org|io)\b", text)
    assert not found


@every_document
def test_relative_links_resolve(path):
    text = prose(path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        linked = (path.parent / file) if file else path
        assert linked.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.M)
            slugs = [re.sub(r"[^\w\- ]", "", one).lower().replace(" ", "-") for one in titles]
            assert heading in slugs, target


@every_document
def test_files_named_in_code_spans_exist(path):
    text = prose(path.read_text(encoding="utf-8"))
    folders = "baseline|bench|docs|solution|tests"
    for name in re.findall(rf"`((?:{folders})/[\w./]*)`", text):
        assert (ROOT / name).exists(), name


@every_document
def test_make_targets_named_in_a_document_exist(path):
    for span in re.findall(r"`([^`\n]+)`", path.read_text(encoding="utf-8")):
        named = re.match(r"make ([a-z]+)\b(?! and)", span)
        assert not named or named[1] in make_targets(), span


@pytest.mark.parametrize("line", list(shell_lines()))
def test_a_shell_command_is_one_that_the_project_has(line):
    program, *arguments = shlex.split(line)
    if program == "make":
        assert arguments[0] in make_targets()
        assert all(one.startswith("ARGS=") for one in arguments[1:])
        return
    assert program == "python"
    module = arguments[1] if arguments[0] == "-m" else arguments[0][: -len(".py")].replace("/", ".")
    assert module in commands(ROOT)
    text = help_text(module)
    for flag in re.findall(r"(?:^| )(--[\w-]+)", line):
        assert re.search(rf"^  {flag}\b", text, re.M), flag


@pytest.mark.parametrize("name", [name for name, text in TEXT.items() if ">>>" in text])
def test_python_examples_give_what_the_document_says(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / "docs" / name), module_relative=False)
    assert found.attempted and not found.failed


def test_python_blocks_without_a_prompt_are_only_quoted_sources():
    """A block that no test runs must be generated from a file that one does."""
    for path in DOCUMENTS:
        if path.name != "baseline_source.md":
            for block in blocks(path.read_text(encoding="utf-8"), "python"):
                assert block.startswith(">>> "), f"{path.name}: {block.splitlines()[0]}"


def test_benchmark_method_shows_examples():
    assert TEXT["benchmark_method.md"].count(">>> ") >= 15
