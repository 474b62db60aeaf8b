# SPDX-License-Identifier: Apache-2.0
"""The sections of docs/results.md, one for each kind of results file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bench.record.tables import Record, bench_records, headline_regime, interval, table, us


def benchmark_page(records: Sequence[Record]) -> list[str]:
    """Headlines, times, roofline and rivals."""
    lines: list[str] = []
    end = records[-1]
    for one in end.get("headlines", []):
        weighted = one["call_weighted"]
        lines += [
            f"**{one['rounding']}: geomean {interval(one['geomean'])}** over {one['rows']} rows in"
            f" the {one['regime']} regime. "
            + "; ".join(f"{op} {value:.3f}" for op, value in one["by_op"].items())
            + f"; call-weighted {'unknown' if weighted is None else format(weighted, '.3f')};"
            f" arithmetic mean {one['arithmetic_mean']:.3f}; min {one['min']:.3f};"
            f" max {one['max']:.3f}. Null control within {one['noise']:.2%}; marked trials:"
            f" {one['marked_trials']}.",
            "",
        ]
    for rounding in dict.fromkeys(record["rounding"] for record in bench_records(records)):
        mine = [record for record in bench_records(records) if record["rounding"] == rounding]
        lines += [
            f"### {rounding}: time",
            "",
            *_times(mine),
            "",
            f"### {rounding}: roofline, cold",
            "",
            *_roofline(mine),
            "",
        ]
    return [*lines, *_rivals(records), *_cross_check(records)]


def _times(records: Sequence[Record]) -> list[str]:
    rows = []
    for record in records:
        for regime, one in record["regimes"].items():
            rows.append(
                [
                    f"`{record['workload']}`",
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
            )
    return table(
        [
            "row",
            "regime",
            "eager us",
            "solution us",
            "MAD",
            "stream us",
            "empty us",
            "speedup",
            "control",
            "verdict",
        ],
        rows,
    )


def _roofline(records: Sequence[Record]) -> list[str]:
    rows = []
    for record in records:
        roof = record["roofline"]
        sheet = roof["datasheet_fraction"]
        rows.append(
            [
                f"`{record['workload']}`",
                f"{(record['bytes_read'] + record['bytes_written']) / 1e6:.2f}",
                f"{roof['cold_gbps']:.0f}",
                f"{roof['attainable_fraction']:.3f}",
                "unknown" if sheet is None else f"{sheet:.3f}",
                f"{roof['over_empty_call']:.2f}",
                roof["bound"],
                record["plan"],
            ]
        )
    return table(
        [
            "row",
            "MB",
            "GB/s",
            "attainable",
            "data sheet",
            "call / empty call",
            "bound",
            "launch plan",
        ],
        rows,
    )


def _cross_check(records: Sequence[Record]) -> Iterator[str]:
    found = [one for one in records if one.get("instrument") == "cross-check"]
    if not found:
        return
    words = {True: "yes", False: "NO", None: "not judged: short"}
    rows = [
        [
            f"`{one['workload']}`",
            one["side"],
            one["rounding"] or "each_step",
            us(one["cold_us"]),
            us(one["torch_profiler_us"]),
            "absent" if one["ncu_us"] is None else us(one["ncu_us"]),
            f"{one['apart']:.2%}",
            words[one["agree"]],
        ]
        for one in found
    ]
    head = ["row", "side", "rounding", "events us", "torch.profiler us", "ncu us", "apart", "agree"]
    yield from ["### Three instruments, cold", "", *table(head, rows), ""]


def _rivals(records: Sequence[Record]) -> Iterator[str]:
    rows = []
    first = next(iter(bench_records(records)))["rounding"]
    for record in bench_records(records):
        others = headline_regime(record)["others"]
        rivals = [name for name in others if name not in ("stream", "empty")]
        absent = record.get("rivals_absent", {})
        if record["rounding"] == first and (rivals or absent):
            rows += [
                [
                    f"`{record['workload']}`",
                    name,
                    us(others[name]["median_us"]),
                    us(record["regimes"]["cold"]["others"][name]["median_us"]),
                ]
                for name in rivals
            ]
            rows += [
                [f"`{record['workload']}`", name, "absent", text[:60]]
                for name, text in absent.items()
            ]
    if rows:
        yield from ["### Rivals, not part of any headline", ""]
        yield from [*table(["row", "rival", "call us", "cold us"], rows), ""]


def correctness_page(records: Sequence[Record]) -> list[str]:
    """The count of each kind of check."""
    checks = [record for record in records if record["kind"] == "check"]
    total, passed = Counter[str](), Counter[str]()
    for check in checks:
        total[check["check"]] += 1
        passed[check["check"]] += check["status"] == "PASSED"
    good = sum(passed.values())
    return [
        f"**{good}/{len(checks)} {records[-1].get('verdict', 'INCOMPLETE')}**",
        "",
        *table(
            ["kind", "passed", "of"],
            [[kind, str(passed[kind]), str(count)] for kind, count in total.items()],
        ),
    ]


def profile_page(records: Sequence[Record]) -> list[str]:
    """What the profilers said: a line a kernel, and the row's memory traffic over its least."""
    rows = []
    for one in (record for record in records if record["kind"] == "profile"):
        for kernel in one.get("kernels", []):
            rows.append(
                [
                    f"`{one['workload']}`",
                    one["side"],
                    one["rounding"] or "each_step",
                    us(kernel["us"]),
                    *(_cell(kernel.get(key)) for key in COUNTERS),
                    _cell(one.get("traffic_ratio")),
                    "; ".join(map(str, one["findings"])) or "none",
                ]
            )
    head = ["row", "side", "rounding", "kernel us", "DRAM %", "SM %", "occupancy %", "registers"]
    return table([*head, "traffic / least", "findings"], rows)


COUNTERS = ("dram_percent", "sm_percent", "occupancy_percent", "registers")


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
