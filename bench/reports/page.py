# SPDX-License-Identifier: Apache-2.0
"""report.html: everything that results files say, on one page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.record.pages import section
from bench.record.render import Files, newest_of
from bench.record.repeats import repeats
from bench.record.tables import Record, Section, Sentence, Table, bench_records, understood
from bench.reports.caution import cautions
from bench.reports.chart import Chart
from bench.reports.clocks import clock_charts
from bench.reports.gauntlet import gauntlet_section
from bench.reports.html import fill
from bench.reports.roofline import roofline_chart
from bench.reports.samples import sample_charts
from bench.reports.speedups import repeats_chart, speedup_chart
from bench.reports.ulps import ulp_charts


@dataclass(frozen=True)
class Part:
    """What the page shows of one results file."""

    name: str
    file: str
    title: str
    headlines: Sequence[Record]
    cautions: Sequence[Sentence]
    section: Section
    charts: Sequence[Chart]
    trials: Sequence[Chart]
    ulps: Sequence[Chart]
    timed: bool
    confidence: float


def report_page(files: Files, gauntlet: Sequence[Path]) -> str:
    """One page of results files and the gauntlet's reports; UserError on strange records."""
    parts = []
    with understood("results"):
        beside, shown = repeats(files), newest_of(files)
    for number, (name, records) in enumerate(_in_order(shown), start=1):
        with understood(name):
            part = _part(f"file-{number}", name, records)
        if part is not None:
            parts.append(part)
    return fill(
        "report.html",
        parts=parts,
        repeats=beside,
        repeats_chart=None if beside is None else repeats_chart(files, "repeats"),
        gauntlet=gauntlet_section(gauntlet),
        provenance=Table("Where each file comes from", *_provenance(files)),
        slug=next(iter(files.values()))[0]["slug"],
    )


def _in_order(files: Files) -> list[tuple[str, Sequence[Record]]]:
    """Benchmarks first, the newest of them first."""
    newest = sorted(files.items(), key=lambda one: str(one[1][0]["time"]), reverse=True)
    return sorted(newest, key=lambda one: one[1][0]["command"] != "benchmark")


def _part(name: str, file: str, records: Sequence[Record]) -> Part | None:
    found = section(records)
    if found is None:
        return None
    run, timed = records[0], bool(bench_records(records))
    return Part(
        name=name,
        file=file,
        title=f"{str(run['command']).capitalize()} on {run['provenance']['device']['name']}",
        headlines=records[-1].get("headlines", []),
        cautions=cautions(records) if timed else [],
        section=found,
        charts=[speedup_chart(records, name), roofline_chart(records, name)] if timed else [],
        trials=[*sample_charts(records, name), *clock_charts(records, name)],
        ulps=list(ulp_charts(records, name)),
        timed=timed,
        confidence=run["config"]["benchmark"]["confidence"],
    )


def _provenance(files: Files) -> tuple[list[str], list[list[str]]]:
    """A line a fact, a column a file."""
    facts: dict[str, list[str]] = {}
    for name, records in files.items():
        run, origin = records[0], records[0]["provenance"]
        device, git = origin["device"], origin["git"]
        known = {
            "file": name,
            "began": f"{str(run['time'])[:19]}Z",
            "complete": "yes" if records[-1]["kind"] == "end" else "NO",
            "command": " ".join(origin["command"]),
            "device": device["name"],
            "device id": device["uuid"],
            "pinned": device["pinned"],
            "timer": origin["timer"],
            "workloads": "frozen" if run["frozen"] else "NOT FROZEN",
            "overrides": ", ".join(f"{key}={value}" for key, value in run["overrides"].items()),
            "git": f"{git['revision']}{', with changes' if git['dirty'] else ''}",
            **{f"{key} sha256": f"{one[:16]}\u2026" for key, one in origin["tree_sha256"].items()},
            **{f"{key} sha256": f"{one[:16]}\u2026" for key, one in origin["file_sha256"].items()},
            **{key: origin["versions"].get(key) for key in ("driver", "cuda", "torch", "tvm_ffi")},
            "host": f"{origin['host']['cpu_model']}, {origin['host']['core_count']} cores",
            "last record": f"{str(records[-1]['digest'])[:16]}\u2026",
        }
        for key, value in known.items():
            text = "none" if value in (None, "") else re.sub("^(True|False)$", _yes, str(value))
            facts.setdefault(key, []).append(text)
    return ["fact", *facts.pop("file")], [[key, *values] for key, values in facts.items()]


def _yes(word: re.Match[str]) -> str:
    return "yes" if word[0] == "True" else "no"
