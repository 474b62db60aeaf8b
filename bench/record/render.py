# SPDX-License-Identifier: Apache-2.0
"""Markdown from results files alone: the same files give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.record.pages import section
from bench.record.repeats import repeats
from bench.record.tables import (
    Record,
    Table,
    bench_records,
    headline_regime,
    interval,
    markdown,
    us,
)
from bench.task.errors import UserError

Files = Mapping[str, Sequence[Record]]
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"


def readme_table(files: Files) -> str:
    """The first screen's table: every row of the newest complete benchmark that has a headline."""
    records = newest_benchmark(files)
    end, origin = records[-1], records[0]["provenance"]
    head = ["row", "eager us", "solution us", "speedup", "device GB/s", "attainable"]
    rows = [
        [
            record["workload"],
            us(headline_regime(record)["baseline"]["median_us"]),
            us(headline_regime(record)["solution"]["median_us"]),
            interval(headline_regime(record)["speedup"]),
            f"{record['roofline']['cold_gbps']:.0f}",
            f"{record['roofline']['attainable_fraction']:.2f}",
        ]
        for record in bench_records(records)
        if record["rounding"] == end["headlines"][0]["rounding"]
    ]
    lines = [
        f"Measured on one {origin['device']['name']}, driver {origin['versions']['driver']}, torch"
        f" {origin['versions']['torch']};"
        " microseconds a call, [95 % interval](docs/benchmark_method.md):",
        "",
        *markdown(Table("", head, rows)),
        "",
    ]
    for one in end["headlines"]:
        lines.append(
            f"**{one['rounding']}: geomean {interval(one['geomean'])}** over {one['rows']} rows.  "
        )
    return "\n".join(lines) + "\n"


def results_page(files: Files) -> str:
    """docs/results.md."""
    parts = [
        "# What was measured?",
        "",
        "Generated from the files in `results/` by"
        " `python bench/report.py --write`; do not edit. Columns:"
        " [benchmark_method.md](benchmark_method.md).",
        "",
    ]
    beside = repeats(files)
    if beside is not None:
        parts += [f"## {beside.title}", "", *markdown(beside), ""]
    for name, records in newest_of(files).items():
        found = section(records)
        if found is None:
            continue
        parts += [f"## {name}", "", *_provenance(records[0]), ""]
        for one in found.sentences:
            parts += [f"**{one.strong}** {one.rest}".rstrip(), ""]
        for table in found.tables:
            parts += [f"### {table.title}", "", *markdown(table), ""]
    return "\n".join(parts)


def newest_of(files: Files) -> Files:
    """The files without any benchmark that has a headline but is not the newest such."""
    full = [name for name, records in files.items() if records[-1].get("headlines")]
    newest = max(full, key=lambda name: str(files[name][0]["time"]), default=None)
    return {name: files[name] for name in files if name not in full or name == newest}


def newest_benchmark(files: Files) -> Sequence[Record]:
    """The newest complete benchmark that has a headline; UserError where there is none."""
    found = [
        records
        for records in files.values()
        if records[0]["command"] == "benchmark" and records[-1].get("headlines")
    ]
    if not found:
        raise UserError("results: expected a benchmark with a headline, got none; run all rows")
    return max(found, key=lambda records: str(records[0]["time"]))


def _provenance(run: Record) -> list[str]:
    origin = run["provenance"]
    device, versions, trees = origin["device"], origin["versions"], origin["tree_sha256"]
    return [
        f"- {run['time'][:19]}Z, {device['name']} (compute capability"
        f" {device['compute_capability']}, {device['uuid']}, pinned: {device['pinned']}), driver"
        f" {versions['driver']}, torch {versions['torch']}, CUDA {versions['cuda']}, tvm-ffi"
        f" {versions['tvm_ffi']}",
        "- trees "
        + ", ".join(f"{name} `{digest[:12]}`" for name, digest in trees.items())
        + f"; workloads {'frozen' if run['frozen'] else 'NOT FROZEN'}",
        f"- `{' '.join(origin['command'])}`",
    ]
