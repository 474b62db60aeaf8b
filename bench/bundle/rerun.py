# SPDX-License-Identifier: Apache-2.0
"""What the reviewer's own runs say of a claim. Pure: records in, remarks out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.bundle.agreement import OTHER_DEVICE, WHOLE, claims, compare_claims
from bench.bundle.verdict import Review, Verdict
from bench.judge.checker import Check
from bench.record.status import Status

Record = Mapping[str, Any]
SHOWN_MAX = 5  # failures that are told one by one


def weigh_checks(records: Sequence[Record], review: Review) -> None:
    """The checks of a correctness run made here on the claimed solution."""
    run, end = records[0], records[-1]
    here = run["provenance"]["device"]
    assert review.claimed is not None
    elsewhere = here["type"] != review.claimed["device"]["type"]
    checks = [one for one in records if one["kind"] == "check"]
    absent = [one for one in checks if elsewhere and _not_implemented(one)]
    for one in absent:
        text = f"{one['op']} has no back end for a {here['type']}: its values were not checked here"
        review.add(Verdict.NOT_VERIFIABLE_HERE, "correctness", text)
    failed = [one for one in checks if one["status"] != Status.PASSED and one not in absent]
    _weigh(failed, "correctness", review)
    review.here["checks"] = {
        "device": here["name"],
        "quick": run["quick"],
        "seed": end["seed"],
        "checks": end["checks"],
        "passed": end["passed"],
    }
    if not failed:
        good, how = sum(end["passed"].values()), "a selection" if run["quick"] else "all"
        review.verified.append(f"correctness on {here['name']}: {how}, {good} checks passed")


def weigh_compiled(checks: Sequence[Check], architecture: str, review: Review) -> None:
    """The checks of a back end whose device is not here."""
    records = [one.record() for one in checks]
    failed = [one for one in records if one["status"] != Status.PASSED]
    _weigh(failed, "build", review)
    if not failed:
        review.verified.append(
            f"compiled for {architecture} and loaded; its host code passed {len(checks)} checks"
        )


def weigh_benchmark(
    records: Sequence[Record], review: Review, same_within: float, show: Callable[[str], None]
) -> None:
    """A benchmark made here, claim by claim; a row that failed decides before any time does."""
    failed = [one for one in records if one["kind"] == "check" and one["status"] != Status.PASSED]
    if not records[-1]["headlines"]:
        _weigh(failed, "timing", review)
        if not failed:
            reasons = "; ".join(records[-1]["no_headline_because"])
            review.add(Verdict.NOT_VERIFIABLE_HERE, "timing", f"no headline here: {reasons}")
        return
    least = same_within if _same_device(records[0], review) else max(same_within, OTHER_DEVICE)
    for one in compare_claims(review.claims, claims(records), least):
        review.comparisons.append(one)
        claimed = (
            f"claimed {one.claimed.value:.3f}x [{one.claimed.low:.3f}, {one.claimed.high:.3f}]"
        )
        text = (
            f"{one.what} {one.rounding}: {claimed}, measured {one.measured.value:.3f}x"
            f" [{one.measured.low:.3f}, {one.measured.high:.3f}], margin {one.margin:.1%}"
        )
        show(text)
        if not one.reproduced:
            review.add(Verdict.NOT_REPRODUCED, "timing", f"{text}: the claim lies above")
        elif one.surpassed:
            review.add(Verdict.ACCEPTED, "timing", f"{text}: more was measured than claimed")
    marked = sum(one["marked_trials"] for one in records[-1]["headlines"])
    if marked:
        text = f"{marked} trials of the measurement here were throttled or contended"
        review.add(Verdict.ACCEPTED, "timing", text)
    reproduced = [one for one in review.comparisons if one.reproduced and one.what != WHOLE]
    rows = len(review.comparisons) - len(records[-1]["headlines"])
    review.verified.append(f"timing: {len(reproduced)} of {rows} rows reproduced here")


def _same_device(run: Record, review: Review) -> bool:
    """Whether the claim was measured on this very GPU; two CPUs cannot be told to be one."""
    assert review.claimed is not None
    here = run["provenance"]["device"]["uuid"]
    return here is not None and bool(here == review.claimed["device"]["uuid"])


def _not_implemented(check: Record) -> bool:
    return bool(check["side"] == "solution" and check["status"] == Status.NOT_IMPLEMENTED)


def _weigh(failed: Sequence[Record], stage: str, review: Review) -> None:
    """What the solution did wrong rejects it; what fails without it cannot be verified here."""
    for one in failed[:SHOWN_MAX]:
        own = one["side"] == "solution" and one["status"] != Status.OUT_OF_MEMORY
        what = one["workload"] or one["op"]
        text = f"{one['side'] or 'judge'}: {one['check']} of {what}: {one['status']}: {one['text']}"
        review.add(Verdict.REJECTED if own else Verdict.NOT_VERIFIABLE_HERE, stage, text)
    if len(failed) > SHOWN_MAX:
        own = any(one["side"] == "solution" for one in failed)
        text = f"and {len(failed) - SHOWN_MAX} checks more"
        review.add(Verdict.REJECTED if own else Verdict.NOT_VERIFIABLE_HERE, stage, text)
