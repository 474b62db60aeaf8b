# SPDX-License-Identifier: Apache-2.0
"""The stopping rule, stated in advance: nothing about the speedup decides when to stop."""

from __future__ import annotations

from collections.abc import Sequence

from bench.judge.contenders import Contender, Samples, Trial
from bench.task.config import Benchmark
from bench.timing.statistics import relative_error


def enough(
    policy: Benchmark, regime: str, contenders: Sequence[Contender], trials: Sequence[Trial]
) -> bool:
    """Whether there are enough unmarked trials, and the medians are as sure as was asked for.

    The precision is that of the regime's noisiest side, by its median's spread over the trials.
    """
    good = [trial for trial in trials if not trial.marks]
    if len(trials) >= policy.trials_max:
        return True
    if len(good) < policy.trials:
        return len(trials) >= policy.trials + policy.extra_trials
    samples = Samples(0, trials, good)
    sides = {(one.side, one.rounding) for one in contenders if one.compared}
    return all(
        relative_error(samples.of(regime, [one for one in contenders if _key(one) == side]))
        <= policy.precision
        for side in sides
    )


def _key(one: Contender) -> tuple[object, object]:
    return one.side, one.rounding
