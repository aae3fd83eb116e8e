"""Judges every response twice, waiting for all and settling early, on a virtual clock."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import numpy as np
from msgspec.structs import replace

from consensus.cascade import Engine
from consensus.domain.decision import Decision, SeatStatus, Verdict
from consensus.domain.policy import (
    Action,
    Gate,
    Panel,
    Policy,
    Seat,
    Settle,
    Stage,
    StrategyName,
)
from consensus.domain.ports import Judges, SilentObserver
from consensus.domain.submission import Submission
from examples.replay.panels import TAKEN
from examples.replay.prompts import JUDGES
from examples.virtual_clock import VirtualClock, VirtualLoop

QUORUM = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What one strategy gains by settling early."""

    strategy: str
    decisions: int
    seats: int
    skipped: int
    """Seats whose judge was cancelled, since its answer could not matter any more."""
    patient_seconds: tuple[float, float]
    """Latency of a decision that waits for all, median and 95th percentile."""
    early_seconds: tuple[float, float]
    """The same, settling early."""
    accepted: int
    """Of the decisions that waited for all."""
    differing: int
    """Decisions with another verdict than waiting gives. Anything but 0 is a fault."""

    @property
    def saved(self) -> float:
        """The share of judge calls that was not waited for."""
        return self.skipped / self.seats


def policy(strategy: str, gate: Gate, quorum: int) -> Policy:
    """Return a policy of the five judges that waits for all.

    Each of the gate's answers ends in a verdict of its own where there are enough verdicts, and
    nothing is cut off by time, so that no recorded answer is lost.
    """
    name = StrategyName(strategy)
    panel = Panel(
        seats=tuple(Seat(judge=judge, timeout_seconds=math.inf) for judge in JUDGES),
        strategy=name,
        n=TAKEN if name is StrategyName.BEST_OF_N else None,
        quorum=quorum,
    )
    stage = Stage(
        name="panel",
        panel=panel,
        gate=gate,
        on_pass=Action.ACCEPT,
        on_fail=Action.RETRY,
        on_unsure=Action.ESCALATE,
        on_no_quorum=Action.ESCALATE,
    )
    return Policy(name=strategy, stages=(stage,), revision="", deadline_seconds=math.inf)


def compare(rules: Policy, judges: Judges, items: Sequence[str]) -> Comparison:
    """Judge every item both ways and compare the decisions, pair by pair."""
    patient = _decide(_settling(rules, Settle.WAIT_ALL), judges, items)
    early = _decide(_settling(rules, Settle.EARLY), judges, items)
    statuses = [
        seat.status
        for decision in early
        for stage in decision.stages
        if stage.consensus
        for seat in stage.consensus.seats
    ]
    return Comparison(
        strategy=rules.name,
        decisions=len(items),
        seats=len(statuses),
        skipped=statuses.count(SeatStatus.SKIPPED),
        patient_seconds=_percentiles(patient),
        early_seconds=_percentiles(early),
        accepted=sum(decision.verdict is Verdict.ACCEPT for decision in patient),
        differing=sum(a.verdict is not b.verdict for a, b in zip(patient, early, strict=True)),
    )


def _settling(rules: Policy, settle: Settle) -> Policy:
    stages = (
        replace(stage, panel=replace(stage.panel, settle=settle)) if stage.panel else stage
        for stage in rules.stages
    )
    return replace(rules, stages=tuple(stages))


def _decide(rules: Policy, judges: Judges, items: Sequence[str]) -> list[Decision]:
    """Return the engine's decisions, one item after the other."""

    async def decide() -> list[Decision]:
        engine, observer = Engine(VirtualClock()), SilentObserver()
        return [
            await engine.judge(_about(item), rules, judges, observer, budget_seconds=math.inf)
            for item in items
        ]

    return anyio.run(decide, backend_options={"loop_factory": VirtualLoop})


def _about(item: str) -> Submission:
    return Submission(task="Recorded.", candidate=item, context={"item_id": item})


def _percentiles(decisions: Sequence[Decision]) -> tuple[float, float]:
    median, high = np.percentile([d.duration_seconds for d in decisions], [50, 95])
    return float(median), float(high)
