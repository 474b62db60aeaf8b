# SPDX-License-Identifier: Apache-2.0
"""All contenders take a sample each; what every one touched is looked at when it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from bench.judge.case import OUTPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.contenders import Contender, Regime, RowFailure, Trial
from bench.judge.data import CaseData, same_bytes
from bench.judge.reply import Reply
from bench.judge.session import Session
from bench.judge.turn import Window, ask, look
from bench.judge.verify import Expectation, Finding, inputs_kept
from bench.judge.wanted import Wanted
from bench.record.status import Status
from bench.task.config import Benchmark
from bench.timing.calling_core import CallingCore

ALL_SLOWED_S = 0.02  # to wait when every core is slowed, which lasts for tenths of a second


@dataclass
class Turns:
    """Who samples when, on what, and what is looked at afterwards."""

    session: Session
    policy: Benchmark
    bounds: Callable[[Contender], Bounds]
    """how exact each contender must be"""
    cache_bytes: int
    """the last cache before memory"""
    host: CallingCore | None
    """None where no regime waits for the host"""
    _retakes: int = field(default=0, init=False)
    _device_us: dict[Contender, float] = field(default_factory=dict, init=False)
    """what the device needs for a call, as last seen"""

    def samples(
        self,
        contenders: Sequence[Contender],
        case: Case,
        window: Window,
        regime: Regime,
        wanted: Wanted,
        trial: Trial,
    ) -> dict[Contender, tuple[float, ...]]:
        """Microseconds of each contender's sample; RowFailure for the first that is not right.

        Outputs are poisoned before the first sample, so that little time lies between two: a host's
        state changes within 100 ms. When all have sampled, nothing may have changed any more.
        """
        left: dict[Contender, torch.Tensor] = {}
        found = {}
        for contender in contenders:
            if contender.compared:
                self.poison(contender, case, wanted)
        for contender in contenders:
            if regime.flushed:
                self.session.flush_caches(4 * self.cache_bytes)
            reply = self._reply(contender, case, window, regime, wanted, trial)
            found[contender] = reply.us
            if not contender.compared:
                continue  # a floor is the judge's own and computes nothing
            finding, left[contender] = self.examine(contender, case, window, wanted, reply)
            if not finding.passed:
                raise RowFailure(contender, finding)
        if regime.name == regime.floor:
            calls = window.count * window.repeat
            self._device_us |= {one: sum(us) / calls for one, us in found.items()}
        for contender, then in left.items():
            now = self.session.data(contender.label, case).outputs
            if not same_bytes(now, then, case.bytes_of(OUTPUTS)):
                text = "outputs: expected unchanged after they were compared, got other bytes"
                raise RowFailure(contender, Finding(Status.LATE_WRITE, text))
        return found

    def poison(self, contender: Contender, case: Case, wanted: Wanted) -> None:
        """Make every output of a contender unlike any result, and lay its guards."""
        size = case.bytes_of(OUTPUTS)
        outputs = self.session.data(contender.label, case).outputs
        outputs[:size].copy_(wanted.blank[:size])

    def examine(
        self, contender: Contender, case: Case, window: Window, wanted: Wanted, reply: Reply
    ) -> tuple[Finding, torch.Tensor]:
        """Look at what a contender left, as it is at its answer: the finding, and those outputs.

        Bytes that are not the oracle's are copied before the slower look: what arrives meanwhile
        must not count.
        """
        data = self.session.data(contender.label, case)
        size = case.bytes_of(OUTPUTS)
        then = wanted.complete[contender.rounding]
        exact = same_bytes(data.outputs, then, size)
        if not exact:
            then = data.outputs[:size].clone()
        # Inputs are shared: whoever changes them must be named before the next one reads them.
        if not inputs_kept(data, wanted.inputs):
            text = "inputs: expected the same bytes after the call"
            return Finding(Status.INPUT_MODIFIED, text), then
        seen = CaseData(case, data.inputs, then)
        expect = Expectation(contender.rounding, self.bounds(contender), wanted.inputs)
        return look(seen, window, expect, wanted.poison, reply, exact=exact), then

    def _reply(
        self,
        contender: Contender,
        case: Case,
        window: Window,
        regime: Regime,
        wanted: Wanted,
        trial: Trial,
    ) -> Reply:
        """Where the host was the limit, a sample on a slowed core is taken again within the budget.

        The slow one stays in the record.
        """
        while True:
            host = self.host if regime.host_bound else None
            if host is not None:
                if not host.settle():
                    time.sleep(ALL_SLOWED_S)
                self.session.pin(contender.label, host.core)
            reply = ask(self.session, contender.label, window)
            if isinstance(reply, Finding):
                raise RowFailure(contender, reply)
            if host is None or not self._waited_for_host(contender, window, reply):
                return reply
            if not host.slowed():
                return reply
            trial.contended_us.setdefault(contender.label, []).append(sum(reply.us))
            if self._retakes == self.policy.retakes:
                trial.marks.append("host core slowed by others")
                return reply
            self._retakes += 1
            if contender.compared:
                self.poison(contender, case, wanted)

    def _waited_for_host(self, contender: Contender, window: Window, reply: Reply) -> bool:
        """Whether calls took longer than the device needs to move their bytes."""
        us = sum(reply.us) / (window.count * window.repeat)
        floors = [us for one, us in self._device_us.items() if not one.compared]
        needed = max([self._device_us[contender], *floors])
        return us > self.policy.slowdown_max * needed
