# SPDX-License-Identifier: Apache-2.0
"""A group of contenders takes a sample each; what every one touched is compared."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.judge.case import INPUTS, OUTPUTS, Case
from bench.judge.compare import Bounds
from bench.judge.contenders import Contender, Regime, RowFailure, Trial
from bench.judge.host_probe import HostProbe
from bench.judge.reply import Reply
from bench.judge.session import Session
from bench.judge.turn import Window, ask, look, poison_outputs
from bench.judge.verify import Expectation, Finding
from bench.record.status import Status
from bench.task.config import Benchmark

RETAKE_AFTER_S = 0.02  # a slowed core stays so for milliseconds to seconds


@dataclass
class Turns:
    """Who samples when, on what, and what is looked at afterwards."""

    session: Session
    policy: Benchmark
    bounds: Callable[[Contender], Bounds]
    """how exact each contender must be"""
    cache_bytes: int
    """the last cache before memory"""
    random: random.Random
    host: HostProbe
    _retakes: int = field(default=0, init=False)

    def samples(
        self,
        group: Sequence[Contender],
        case: Case,
        window: Window,
        regime: Regime,
        before: int,
        trial: Trial,
    ) -> dict[Contender, tuple[float, ...]]:
        """A sample of each of the group, one right after the other, then everything compared.

        Where the host is the limit, one that was taken on a slowed core is taken again, within the
        policy's budget; the slow one stays in the record.
        """
        nonces = {contender: self.random.getrandbits(16) for contender in group}
        poisons = {
            contender: poison_outputs(self.session, contender.label, case, nonce)
            for contender, nonce in nonces.items()
        }
        if regime.flushed:
            self.session.flush_caches(4 * self.cache_bytes)
        replies: dict[Contender, Reply] = {}
        at_reply: dict[Contender, int] = {}
        for contender in group:
            replies[contender] = self._reply(contender, case, window, regime, poisons, trial)
            at_reply[contender] = self.output_mark(contender, case)
            self._inputs_kept(contender, case, before)
        found = {}
        for contender, reply in replies.items():
            if self.output_mark(contender, case) != at_reply[contender]:
                text = "outputs: expected complete when the player answered, got other bytes later"
                raise RowFailure(contender, Finding(Status.LATE_WRITE, text))
            finding = look(
                self.session,
                contender.label,
                case,
                window,
                self.expect(contender, before),
                poisons[contender],
                reply,
            )
            if not finding.passed:
                raise RowFailure(contender, finding)
            found[contender] = reply.us
        return found

    def _reply(
        self,
        contender: Contender,
        case: Case,
        window: Window,
        regime: Regime,
        poisons: dict[Contender, int],
        trial: Trial,
    ) -> Reply:
        while True:
            slowdown = self.host.slowdown() if regime.together else 1.0
            reply = ask(self.session, contender.label, window)
            if isinstance(reply, Finding):
                raise RowFailure(contender, reply)
            slowdown = max(slowdown, self.host.slowdown()) if regime.together else 1.0
            if slowdown <= self.policy.slowdown_max:
                return reply
            trial.contended_us.setdefault(contender.label, []).append(sum(reply.us))
            if self._retakes == self.policy.retakes:
                trial.marks.append("host core slowed by others")
                return reply
            self._retakes += 1
            time.sleep(RETAKE_AFTER_S)
            nonce = self.random.getrandbits(16)
            poisons[contender] = poison_outputs(self.session, contender.label, case, nonce)

    def _inputs_kept(self, contender: Contender, case: Case, before: int) -> None:
        """Inputs are shared: whoever changes them must be named before the next one reads them."""
        inputs = self.session.data(contender.label, case).inputs
        if self.session.fingerprint.of(inputs, case.bytes_of(INPUTS)) != before:
            text = "inputs: expected the same bytes after the call"
            raise RowFailure(contender, Finding(Status.INPUT_MODIFIED, text))

    def output_mark(self, contender: Contender, case: Case) -> int:
        """A fingerprint of everything that a contender wrote."""
        outputs = self.session.data(contender.label, case).outputs
        return self.session.fingerprint.of(outputs, case.bytes_of(OUTPUTS))

    def expect(self, one: Contender, before: int) -> Expectation:
        """What a contender's outputs and inputs are held against."""
        return Expectation(one.rounding, self.bounds(one), before, one.compared)
