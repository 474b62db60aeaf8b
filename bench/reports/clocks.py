# SPDX-License-Identifier: Apache-2.0
"""The machine through the run: what its clocks, temperature, power and load were at each trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bench.record.tables import Record
from bench.reports.chart import ALERT, FIRST, LINE, SOFT, Chart, canvas, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {
    "sm_clock_mhz": "SM clock, MHz",
    "memory_clock_mhz": "memory clock, MHz",
    "cpu_mhz": "CPU clock, MHz",
    "temperature_c": "temperature, \u00b0C",
    "power_w": "power, W",
    "host_load_1m": "host load, 1 min",
}
PANEL = 74.0  # points


def clock_charts(records: Sequence[Record], name: str) -> Iterator[Chart]:
    """A panel for each quantity that the machine told; nothing where no trial was recorded."""
    trials = [
        (record["workload"], trial)
        for record in records
        if record["kind"] == "trials"
        for trial in record["trials"]
    ]
    states = [state for _, trial in trials for state in trial["machine"]]
    told = [key for key in PANELS if any(state[key] is not None for state in states)]
    if not told:
        return
    start = min(state["time_unix_s"] for state in states)
    with canvas(PANEL * len(told) + 40, rows=len(told), sharex=True) as (figure, panels):
        for key, axes in zip(told, panels, strict=True):
            known = [state for state in states if state[key] is not None]
            axes.plot(
                [state["time_unix_s"] - start for state in known],
                [state[key] for state in known],
                "o-",
                color=FIRST,
                linewidth=1,
                markersize=2.5,
            )
            low, high = axes.get_ylim()
            room = max(high - low, 0.05 * abs(high), 1) * 0.15
            axes.set_ylim(low - room, high + room)
            axes.locator_params(axis="y", nbins=3)
            axes.set_title(PANELS[key], loc="left", size=10.5, color=SOFT, pad=4)
            axes.yaxis.set_major_formatter("{x:g}")
            _shade_rows(axes, trials, start)
        panels[-1].set_xlabel("seconds into the run")
        figure.align_ylabels()
        height = PANEL * len(told) + 40
        figure.subplots_adjust(
            left=0.12, right=0.98, top=1 - 18 / height, bottom=38 / height, hspace=0.55
        )
        marked = sum(bool(trial["marks"]) for _, trial in trials)
        caption = (
            f"Read before and after each of {len(trials)} trials, {marked} of them marked"
            " (tinted). Every other row is shaded."
        )
        words = "; ".join(
            f"{PANELS[key]} {min(values):g} to {max(values):g}"
            for key in told
            for values in [[state[key] for state in states if state[key] is not None]]
        )
        title = "The machine through the run"
        yield finish(figure, f"{name}-clocks", title, caption, words)


def _shade_rows(axes: Axes, trials: Sequence[tuple[str, Record]], start: float) -> None:
    """A band behind every other row, and one on each marked trial."""
    for place, workload in enumerate(dict.fromkeys(workload for workload, _ in trials)):
        times = [
            state["time_unix_s"] - start
            for one, trial in trials
            if one == workload
            for state in trial["machine"]
        ]
        if place % 2 and times:
            axes.axvspan(min(times), max(times), color=LINE, alpha=0.45, linewidth=0)
    for _, trial in trials:
        if trial["marks"]:
            times = [state["time_unix_s"] - start for state in trial["machine"]]
            axes.axvspan(min(times), max(times), color=ALERT, alpha=0.3, linewidth=0)
