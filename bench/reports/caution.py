# SPDX-License-Identifier: Apache-2.0
"""The sentences that a reader must not miss, from one benchmark's own records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.record.tables import (
    Record,
    Sentence,
    bench_records,
    headline_regime,
    headline_regime_name,
)


def cautions(records: Sequence[Record]) -> list[Sentence]:
    """What is not claimed, how far noise reaches, and what else is wrong with this run."""
    device = records[0]["provenance"]["device"]["name"]
    return [
        Sentence(
            "What is not claimed.",
            f"A speedup is one op's against eager PyTorch on this {device} and its host. It is not"
            " a model's, and it says nothing of another GPU, driver or machine.",
        ),
        *_noise(records),
        _marked(records),
        *_flaws(records),
    ]


def _noise(records: Sequence[Record]) -> Iterator[Sentence]:
    rows = [record for record in bench_records(records) if record.get("regimes")]
    if not rows:
        return
    worst = max(rows, key=lambda record: float(headline_regime(record)["noise"]))
    noise, same = headline_regime(worst)["noise"], records[0]["config"]["benchmark"]["same_within"]
    quiet = sum(headline_regime(record)["noise"] <= same for record in rows)
    yield Sentence(
        "Noise.",
        f"Identical code against itself read up to {noise:.1%} apart ({worst['workload']},"
        f" {worst['rounding']}, {headline_regime_name(worst)}). It was within {same:.0%} in"
        f" {quiet} of {len(rows)} results. A difference smaller than a row's own control is none.",
    )


def _marked(records: Sequence[Record]) -> Sentence:
    trials = [
        trial for record in records if record["kind"] == "trials" for trial in record["trials"]
    ]
    marks = sorted({mark for trial in trials for mark in trial["marks"]})
    marked = sum(bool(trial["marks"]) for trial in trials)
    counted = sum(record["marked_trials"] for record in bench_records(records))
    more = f", and {len(marks) - 3} other readings" if len(marks) > 3 else ""
    if not marked:
        return Sentence("Marked trials.", f"None of {len(trials)} was throttled or contended.")
    return Sentence(
        "Marked trials.",
        f"{marked} of {len(trials)}: {'; '.join(marks[:3])}{more}. They count only where too few"
        f" others were left: {counted} times here.",
    )


def _flaws(records: Sequence[Record]) -> Iterator[Sentence]:
    run, end = records[0], records[-1]
    origin = run["provenance"]
    flaws = [
        text
        for text, there in (
            ("the run did not come to its end", end["kind"] != "end"),
            ("the workloads are not the frozen ones", not run["frozen"]),
            ("settings were overridden: " + ", ".join(run["overrides"]), bool(run["overrides"])),
            ("the GPU was not pinned", origin["device"]["type"] == "cuda" and not _pinned(run)),
            ("players were not confined: no Landlock", origin["host"].get("landlock_version") == 0),
            ("the tree had changes that git does not know", origin["git"]["dirty"] is True),
            *((f"no headline: {text}", True) for text in end.get("no_headline_because", [])),
        )
        if there
    ]
    if flaws:
        yield Sentence("This run has flaws.", "; ".join(flaws).capitalize() + ".")


def _pinned(run: Record) -> bool:
    return bool(run["provenance"]["device"]["pinned"])
