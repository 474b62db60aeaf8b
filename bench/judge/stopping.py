# SPDX-License-Identifier: Apache-2.0
"""The stopping rule, stated in advance: nothing about the speedup decides when to stop."""

from __future__ import annotations

from collections.abc import Sequence

from bench.judge.contenders import HEADLINE, Contender, Regime, Samples, Trial
from bench.task.arithmetic import Rounding
from bench.task.config import Benchmark
from bench.timing.statistics import relative_error


def counted(policy: Benchmark, trials: Sequence[Trial]) -> Sequence[Trial]:
    """The trials that statistics are made of: unmarked ones, or all where those are too few."""
    good = [trial for trial in trials if not trial.marks]
    return good if len(good) >= policy.trials else trials


def next_regimes(
    policy: Benchmark, device: str, regimes: Sequence[Regime], trials: Sequence[Trial]
) -> Sequence[Regime]:
    """What the trial after these takes: all regimes; the headline's alone beyond the least."""
    if sum(not trial.marks for trial in trials) < policy.trials:
        return regimes
    return [regime for regime in regimes if regime.name == HEADLINE[device]]


def enough(
    policy: Benchmark, device: str, contenders: Sequence[Contender], trials: Sequence[Trial]
) -> bool:
    """Whether there are enough unmarked trials, and the medians are as sure as was asked for.

    The precision is that of the noisiest side in the device's headline regime, by its median's
    spread over the trials.
    """
    good = [trial for trial in trials if not trial.marks]
    if len(trials) >= getattr(policy.trials_max, device):
        return True
    if len(good) < policy.trials:
        return len(trials) >= policy.trials + policy.extra_trials
    samples = Samples(0, trials, good)
    sides: dict[tuple[str, Rounding], list[Contender]] = {}
    for one in contenders:
        if one.compared:
            sides.setdefault((one.side, one.rounding), []).append(one)
    errors = (relative_error(samples.of(HEADLINE[device], side)) for side in sides.values())
    return all(error <= policy.precision for error in errors)
