# SPDX-License-Identifier: Apache-2.0
"""Every statistic of a results file made anew from its raw samples: an edited one does not hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.bundle.members import BundleError
from bench.bundle.sampling_rules import RELATIVE_TOLERANCE, admit_trials, recorded_contenders
from bench.judge.analysis import Analysis
from bench.judge.contenders import HEADLINE, Samples, Trial
from bench.judge.stopping import counted
from bench.record.headline import headline
from bench.task.arithmetic import Rounding
from bench.task.config import Config
from bench.task.workload import Workload

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Recomputation:
    """A complete results file against this repository's config and rows."""

    config: Config
    records: Sequence[dict[str, Any]]

    def check(self, rows: Sequence[Workload]) -> None:
        """BundleError for the first number that does not follow from the samples."""
        timed = [one for one in self.records if one["kind"] in ("trials", "bench")]
        roundings = [Rounding(one) for one in self.records[0]["roundings"]]
        step = 1 + len(roundings)
        kinds = ["trials", *["bench"] * len(roundings)] * len(rows)
        if [one["kind"] for one in timed] != kinds:
            raise BundleError("expected for each frozen row its trials and a record a rounding")
        for row, at in zip(rows, range(0, len(timed), step), strict=True):
            if any(one["workload"] != row.id for one in timed[at : at + step]):
                raise BundleError(f"{row.id}: expected its records in the order of the rows")
            try:
                self._row(row, roundings, timed[at], timed[at + 1 : at + step])
            except BundleError as error:
                raise BundleError(f"{row.id}: {error}") from None
        self._headlines(roundings)

    @property
    def _device(self) -> str:
        return str(self.records[0]["provenance"]["device"]["type"])

    def _headlines(self, roundings: Sequence[Rounding]) -> None:
        policy, regime = self.config.benchmark, HEADLINE[self._device]
        stated = self.records[-1]["headlines"]
        found = [
            headline(self.records, one.value, regime, policy.bootstrap_draws, policy.confidence)
            for one in roundings
        ]
        _same("headlines", found, stated)

    def _row(
        self,
        row: Workload,
        roundings: Sequence[Rounding],
        stated: Record,
        benches: Sequence[Record],
    ) -> None:
        policy = self.config.benchmark
        trials = [Trial(**one) for one in stated["trials"]]
        contenders = recorded_contenders(policy, self._device, roundings, trials)
        admit_trials(policy, self._device, contenders, trials)
        name = self.records[0]["provenance"]["device"]["name"]
        analysis = Analysis.of(self.config, self.records[-1]["seed"], self._device, name)
        for rounding, bench in zip(roundings, benches, strict=True):
            calls = {one["calls_per_sample"] for one in bench["regimes"].values()}
            if len(calls) != 1 or any(type(one) is not int or one < 1 for one in calls):
                raise BundleError("calls_per_sample: expected one number of calls in all regimes")
            samples = Samples(calls.pop(), trials, counted(policy, trials))
            _same(rounding.value, analysis.record(row, rounding, samples, contenders), bench)


def _same(at: str, found: object, stated: object) -> None:
    """BundleError at the first value that differs; a record may hold more than is made anew."""
    if isinstance(found, Mapping):
        if not isinstance(stated, Mapping):
            raise BundleError(f"{at}: expected a table")
        for key, value in found.items():
            if key not in stated:
                raise BundleError(f"{at}.{key}: expected, and is not there")
            _same(f"{at}.{key}", value, stated[key])
    elif isinstance(found, (list, tuple)):
        if not isinstance(stated, list) or len(found) != len(stated):
            raise BundleError(f"{at}: expected a list of {len(found)}")
        for number, (mine, theirs) in enumerate(zip(found, stated, strict=True)):
            _same(f"{at}[{number}]", mine, theirs)
    elif isinstance(found, float) and type(stated) in (int, float):
        assert isinstance(stated, (int, float))
        if not math.isclose(found, stated, rel_tol=RELATIVE_TOLERANCE):
            raise BundleError(f"{at}: the samples give {found!r}, the record says {stated!r}")
    elif found != stated or type(found) is not type(stated):
        raise BundleError(f"{at}: the samples give {found!r:.60}, the record says {stated!r:.60}")
