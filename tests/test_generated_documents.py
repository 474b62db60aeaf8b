# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli_document import commands, help_text
from bench.judge.contenders import HEADLINE, REGIMES
from bench.record.lines import row_line
from bench.record.render import BEGIN, END
from bench.task.config import Config, load_config
from bench.task.parse import file_fields
from bench.task.workload import Row
from bench.threats.table import read_report

ROOT = Path(__file__).resolve().parents[1]
REGIME_NAMES = {regime.name for regimes in REGIMES.values() for regime in regimes}
RESULTS = sorted((ROOT / "results").glob("*.jsonl"))
TEXT = {
    path.name: path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
}


def test_command_document_is_the_help_text():
    words = " ".join(TEXT["cli.md"].split())
    named = re.findall(r"^## `(?:python -m )?(.+)`$", TEXT["cli.md"], re.M)
    assert [one.removesuffix(".py").replace("/", ".") for one in named] == commands(ROOT)
    for module in commands(ROOT):
        # Line breaks are argparse's, and other Pythons break the usage line elsewhere.
        text = " ".join(help_text(module).split())
        assert text in words, f"{module}: run python -m bench.cli_document"


def fields_of(value, at=""):
    """Dotted names of what a parsed config holds; open tables and tolerances are one each."""
    for name in file_fields(type(value)):
        part = getattr(value, name)
        closed = hasattr(part, "__dataclass_fields__") and not hasattr(part, "atol")
        yield from fields_of(part, f"{at}{name}.") if closed else [f"{at}{name}"]


def keys_of(title):
    section = TEXT["formats.md"].split(f"## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([\w.]+)` \|", section, re.M)


def test_formats_document_lists_every_key_of_the_config():
    config = load_config(ROOT / "config.toml")
    assert isinstance(config, Config)
    assert set(keys_of("Configuration: `config.toml`")) == set(fields_of(config))


def test_formats_document_lists_every_key_of_a_row_in_order():
    assert keys_of("Workloads: `workloads.json`") == file_fields(Row)


def test_readme_has_one_place_for_the_generated_table():
    text = TEXT["README.md"]
    assert text.count(BEGIN) == text.count(END) == 1 and text.index(BEGIN) < text.index(END)


def test_readme_explains_the_line_that_the_benchmark_prints():
    record = {
        "workload": "ltx2_full_s8160_c4096",
        "rounding": "each_step",
        "roofline": {"cold_gbps": 4338.0, "attainable_fraction": 0.99, "bound": "bandwidth"},
        "regimes": {
            "call": {
                "baseline": {"median_us": 97.24},
                "solution": {"median_us": 61.63, "mad_us": 0.05},
                "speedup": {"value": 1.578, "low": 1.571, "high": 1.585},
                "verdict": "FAST",
            }
        },
    }
    (block,) = re.findall(r"^```text\n(.*?)^```$", TEXT["README.md"], re.M | re.S)
    assert block.split() == row_line(record, "call").split()


def columns(file):
    """Every column that a module names: what it assigns or adds to `head`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(node.value, ast.List):
            target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
            if getattr(target, "id", "") == "head":
                yield from (one.value for one in node.value.elts)


def test_benchmark_method_says_which_regime_each_device_has():
    rows = re.findall(r"^\| (\w+) \| (.+?) \| (.+?) \|", TEXT["benchmark_method.md"], re.M)
    for place, device in enumerate(("cuda", "cpu"), start=1):
        named = {regime.name for regime in REGIMES[device]}
        described = {row[0]: row[place] for row in rows if row[0] in REGIME_NAMES}
        assert set(described) == REGIME_NAMES
        assert named == {name for name, how in described.items() if not how.startswith("none")}
        assert HEADLINE[device] in named


def test_benchmark_method_explains_every_column():
    section = TEXT["benchmark_method.md"].split("## Every column\n")[1].split("\n## ")[0]
    first = re.findall(r"^\| ([^|]+?) \|", section, re.M)
    explained = {name for cell in first for name in cell.split(", ")}
    modules = ("record/pages", "record/render", "reports/comparison", "reports/ranking")
    shown = {column for one in modules for column in columns(ROOT / "bench" / f"{one}.py")}
    assert len(shown) > 15 and shown <= explained


@pytest.mark.skipif(not RESULTS, reason="no results are committed yet: nothing to compare with")
def test_tables_are_what_the_committed_results_give(tmp_path):
    generated = ["README.md", "docs/results.md"]
    for name in ("bench", "docs", "results", "README.md", "config.toml", "workloads.json"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    for name in generated:  # what stands there may not leak into what is generated
        path = tmp_path / name
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\d+\.\d+", "9.99", text) if name == "README.md" else "")
    subprocess.run([sys.executable, "-m", "bench.report", "--write"], cwd=tmp_path, check=True)
    table = re.compile(f"{BEGIN}.*{END}", re.S)
    for name in generated:
        was, now = (folder / name for folder in (ROOT, tmp_path))
        before, after = was.read_text(encoding="utf-8"), now.read_text(encoding="utf-8")
        if name == "README.md":
            before, after = table.findall(before), table.findall(after)
        assert before == after, f"{name}: run python -m bench.report --write"


def test_committed_records_of_the_gauntlet_name_no_machine():
    reports = sorted((ROOT / "docs").glob("gauntlet_*.jsonl"))
    assert reports
    for text in (record["text"] for path in reports for record in read_report(path)):
        # What every machine has may be named: /dev, /proc, /tmp.
        assert not re.findall(r"(?<![\w./])/(?!dev/|proc/|tmp/)\w+/\S+", text), text
