# SPDX-License-Identifier: Apache-2.0
"""The sampler's cold time beside two other instruments' kernel times. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.profiling.times import KernelTimes

AGREE_WITHIN = 0.03
AGREE_ABOVE_US = 20.0  # below it, launch gaps and an instrument's own resolution are the difference


def cross_check_records(
    bench: Sequence[Mapping[str, Any]], times: Sequence[KernelTimes]
) -> list[dict[str, Any]]:
    """A profile record for each row and side that was timed by the sampler and by a profiler."""
    records = []
    for one in times:
        found = [
            record
            for record in bench
            if record["kind"] == "bench"
            and record["workload"] == one.workload
            and "regimes" in record
            and one.rounding in ("", record["rounding"])
        ]
        if not found:
            continue
        cold_us = float(found[0]["regimes"]["cold"][one.side]["median_us"])
        by_profiler = statistics.median(one.torch_profiler_us)
        by_ncu = statistics.median(one.ncu_us) if one.ncu_us else None
        others = [us for us in (by_profiler, by_ncu) if us is not None]
        apart = max(abs(us / cold_us - 1) for us in others)
        judged = cold_us > AGREE_ABOVE_US
        records.append(
            {
                "kind": "profile",
                "instrument": "cross-check",
                "workload": one.workload,
                "side": one.side,
                "rounding": one.rounding,
                "cold_us": cold_us,
                "torch_profiler_us": by_profiler,
                "ncu_us": by_ncu,
                "apart": apart,
                "agree": apart <= AGREE_WITHIN if judged else None,
            }
        )
    return records


def cross_check_line(record: Mapping[str, Any]) -> str:
    """Three instruments side by side, and whether they agree."""
    ncu = "absent" if record["ncu_us"] is None else f"{record['ncu_us']:.2f}"
    disagree = f"DISAGREE: {AGREE_WITHIN:.0%} allowed"
    words = {True: "agree", False: disagree, None: "not judged: short"}
    return (
        f"{record['workload']:36} {record['side']:9} {record['rounding']:9}"
        f" events {record['cold_us']:9.2f} us,"
        f" torch.profiler {record['torch_profiler_us']:9.2f}, ncu {ncu:>9};"
        f" {record['apart']:.1%} apart, {words[record['agree']]}"
    )
