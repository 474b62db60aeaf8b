# SPDX-License-Identifier: Apache-2.0
"""What is to be read of a results file: one section for each kind of file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bench.record.instruments import cross_check, unguarded
from bench.record.tables import (
    Record,
    Section,
    Sentence,
    Table,
    bench_records,
    headline_regime,
    interval,
    roundings,
    us,
)

COUNTERS = ("dram_percent", "sm_percent", "occupancy_percent", "registers")


def section(records: Sequence[Record]) -> Section | None:
    """What one file says; None where its command writes nothing that people read."""
    one = {"benchmark": _benchmark, "correctness": _correctness, "profile": _profile}.get(
        str(records[0]["command"])
    )
    return None if one is None else one(records)


def _benchmark(records: Sequence[Record]) -> Section:
    """Headlines, times, roofline and rivals."""
    tables: list[Table] = []
    for rounding in roundings(records):
        mine = [record for record in bench_records(records) if record["rounding"] == rounding]
        tables += [_times(mine, rounding), _roofline(mine, rounding)]
    sentences = [_headline(one) for one in records[-1].get("headlines", [])]
    others = [*_rivals(records), *cross_check(records), *unguarded(records)]
    return Section(sentences, [*tables, *others])


def _headline(one: Record) -> Sentence:
    weighted = one["call_weighted"]
    return Sentence(
        f"{one['rounding']}: geomean {interval(one['geomean'])}",
        f"over {one['rows']} rows in the {one['regime']} regime. "
        + "; ".join(f"{op} {value:.3f}" for op, value in one["by_op"].items())
        + f"; call-weighted {'unknown' if weighted is None else format(weighted, '.3f')};"
        f" arithmetic mean {one['arithmetic_mean']:.3f}; min {one['min']:.3f};"
        f" max {one['max']:.3f}. Null control within {one['noise']:.2%}; marked trials:"
        f" {one['marked_trials']}.",
    )


def _times(records: Sequence[Record], rounding: str) -> Table:
    head = ["row", "regime", "eager us", "solution us", "MAD", "stream us", "empty us"]
    head += ["speedup", "control", "verdict"]
    rows = [
        [
            record["workload"],
            regime,
            us(one["baseline"]["median_us"]),
            us(one["solution"]["median_us"]),
            us(one["solution"]["mad_us"]),
            us(one["others"]["stream"]["median_us"]),
            us(one["others"]["empty"]["median_us"]),
            interval(one["speedup"]),
            f"{one['noise']:.2%}",
            one["verdict"],
        ]
        for record in records
        for regime, one in record["regimes"].items()
    ]
    return Table(f"{rounding}: time", head, rows)


def _roofline(records: Sequence[Record], rounding: str) -> Table:
    head = ["row", "MB", "GB/s", "attainable", "data sheet", "call / empty call", "bound"]
    head += ["launch plan"]
    rows = []
    for record in records:
        roof = record["roofline"]
        sheet = roof["datasheet_fraction"]
        rows.append(
            [
                record["workload"],
                f"{(record['bytes_read'] + record['bytes_written']) / 1e6:.2f}",
                f"{roof['cold_gbps']:.0f}",
                f"{roof['attainable_fraction']:.3f}",
                "unknown" if sheet is None else f"{sheet:.3f}",
                f"{roof['over_empty_call']:.2f}",
                roof["bound"],
                str(record["plan"]),
            ]
        )
    return Table(f"{rounding}: roofline, cold", head, rows)


def _rivals(records: Sequence[Record]) -> Iterator[Table]:
    head = ["row", "rival", "call us", "cold us"]
    rows: list[list[str]] = []
    for record in bench_records(records):
        if record["rounding"] != roundings(records)[0]:
            continue  # rivals have no rounding: every one shows the same samples
        others = headline_regime(record)["others"]
        cold = record["regimes"]["cold"]["others"]
        rows += [
            [record["workload"], name, us(one["median_us"]), us(cold[name]["median_us"])]
            for name, one in others.items()
            if name not in ("stream", "empty")
        ]
        rows += [
            [record["workload"], name, "absent", text[:60]]
            for name, text in record.get("rivals_absent", {}).items()
        ]
    if rows:
        yield Table("Rivals, not part of any headline", head, rows)


def _correctness(records: Sequence[Record]) -> Section:
    """The count of each kind of check."""
    checks = [record for record in records if record["kind"] == "check"]
    total, passed = Counter[str](), Counter[str]()
    for check in checks:
        total[check["check"]] += 1
        passed[check["check"]] += check["status"] == "PASSED"
    verdict = records[-1].get("verdict", "INCOMPLETE")
    head = ["kind", "passed", "of"]
    rows = [[kind, str(passed[kind]), str(count)] for kind, count in total.items()]
    return Section(
        [Sentence(f"{sum(passed.values())}/{len(checks)} {verdict}")],
        [Table("Checks by kind", head, rows)],
    )


def _profile(records: Sequence[Record]) -> Section:
    """What the profilers said: a line a kernel, and the row's memory traffic over its least."""
    head = ["row", "side", "rounding", "kernel us", "DRAM %", "SM %", "occupancy %", "registers"]
    head += ["traffic / least", "findings"]
    rows = [
        [
            one["workload"],
            one["side"],
            one["rounding"] or "each_step",
            us(kernel["us"]),
            *(_number(kernel.get(key)) for key in COUNTERS),
            _number(one.get("traffic_ratio")),
            "; ".join(map(str, one["findings"])) or "none",
        ]
        for one in records
        if one["kind"] == "profile"
        for kernel in one.get("kernels", [])
    ]
    return Section([], [Table("Kernels", head, rows)])


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
