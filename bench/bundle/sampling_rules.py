# SPDX-License-Identifier: Apache-2.0
"""The judge's own rules asked of recorded samples: whose, how many, which can be true."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bench.bundle.members import BundleError
from bench.judge.contenders import FLOORS, REGIMES, Contender, Regime, RowFailure, Trial
from bench.judge.floors import Floors
from bench.judge.stopping import enough, next_regimes
from bench.task.arithmetic import Rounding
from bench.task.config import Benchmark

RELATIVE_TOLERANCE = 1e-9  # another numpy may sum in another order


def recorded_contenders(
    policy: Benchmark, device: str, roundings: Sequence[Rounding], trials: Sequence[Trial]
) -> list[Contender]:
    """Who the policy says takes part, in the judge's order; rivals are whoever else is there."""
    processes = getattr(policy.processes, device)
    sides = [("baseline", Rounding.EACH_STEP), *(("solution", one) for one in roundings)]
    own = [Contender(*side, process) for side in sides for process in range(processes)]
    own += [Contender(name, Rounding.EACH_STEP, 0) for name in FLOORS]
    known = {one.label for one in own}
    rivals = sorted({*trials[0].us[REGIMES[device][0].name]} - known)
    return [*own, *(Contender(label.split()[0], Rounding.EACH_STEP, 0) for label in rivals)]


def admit_trials(
    policy: Benchmark, device: str, contenders: Sequence[Contender], trials: Sequence[Trial]
) -> None:
    """BundleError unless the judge could have taken these trials, all of them and no more."""
    most = getattr(policy.trials_max, device)
    if not 1 <= len(trials) <= most + policy.extra_trials:
        raise BundleError(f"expected 1 to {most} trials, got {len(trials)}")
    floors = Floors(getattr(policy.impossible_below, device))
    for number, trial in enumerate(trials, start=1):
        regimes = next_regimes(policy, device, REGIMES[device], trials[: number - 1])
        try:
            _admit_trial(regimes, contenders, trial, floors if device == "cuda" else None)
        except RowFailure as failure:
            text = f"{failure.contender.label}: {failure.finding.text}"
            raise BundleError(f"trial {number}: {text}") from None
        except BundleError as error:
            raise BundleError(f"trial {number}: {error}") from None
    taken = range(1, len(trials) + 1)
    stops = [enough(policy, device, contenders, trials[:count]) for count in taken]
    if stops != [False] * (len(trials) - 1) + [True]:
        raise BundleError(f"{len(trials)} trials are not where the stopping rule ends a row")


def _admit_trial(
    regimes: Sequence[Regime],
    contenders: Sequence[Contender],
    trial: Trial,
    floors: Floors | None,
) -> None:
    labels = {one.label for one in contenders}
    names = [regime.name for regime in regimes]
    if not list(trial.us) == list(trial.order) == names:
        raise BundleError(f"expected the regimes {', '.join(names)}")
    for regime in regimes:
        taken = trial.us[regime.name]
        if not set(taken) == set(trial.order[regime.name]) == labels:
            raise BundleError(
                f"{regime.name}: expected one sample of each of {len(labels)} players"
            )
        for label, us in taken.items():
            _check_sample(f"{regime.name} of {label}", us)
            if regime.how == "each":
                calls_us = trial.calls_us[regime.name][label]
                mean = sum(calls_us) / len(calls_us)
                if not math.isclose(mean, us, rel_tol=RELATIVE_TOLERANCE):
                    raise BundleError(f"{regime.name} of {label}: is not the mean of its calls")
        if floors is not None:  # a CPU's rest on bandwidth that the judge measured at that moment
            floors.check(contenders, regime, trial, contended=lambda: bool(trial.marks))


def _check_sample(at: str, us: object) -> None:
    if type(us) not in (int, float) or not isinstance(us, (int, float)) or not us > 0:
        raise BundleError(f"{at}: expected microseconds above 0, got {us!r:.40}")
