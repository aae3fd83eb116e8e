"""Builders: submissions, policies and panels in few words, and judges that follow a script."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import anyio

from consensus.cascade import Engine
from consensus.domain.decision import Decision, Hierarchy, SeatResult, StageResult
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
)
from consensus.domain.policy import Action, Gate, Panel, Policy, Seat, Stage
from consensus.domain.ports import Judge, SilentObserver
from consensus.domain.submission import Criterion, Submission
from tests.virtual_clock import VirtualClock

Script = Answer | BaseException | object
"""What a scripted judge answers, or raises where it is an exception."""
SILENT = Abstention("no script")
FOREVER = math.inf


def submission(candidate: str = "The tower opens at nine.", **fields: Any) -> Submission:
    """Return a submission; everything but the candidate has a default."""
    return Submission(**{"task": "Describe the tower.", "candidate": candidate, **fields})


def criteria(*ids: str, required: bool = True) -> tuple[Criterion, ...]:
    """Return a rubric with a criterion for each id."""
    return tuple(Criterion(id=name, text=f"Holds {name}", required=required) for name in ids)


def scores(score: float, confidence: float = 1.0, **fields: Any) -> GradientResult:
    """Return a gradient."""
    return GradientResult(score=score, confidence=confidence, **fields)


def finds(score: float = 1.0, **statuses: str) -> GradientResult:
    """Return a gradient with findings, such as `finds(C1="met", C2="unmet")`."""
    found = (
        Finding(criterion_id=name, status=FindingStatus(status))
        for name, status in statuses.items()
    )
    return GradientResult(score=score, confidence=1.0, findings=tuple(found))


def quotes(status: str, *quoted: str, index: int | None = None) -> GradientResult:
    """Return a gradient with one finding, for C1, and its quotations."""
    evidence = tuple(Evidence(quote, index) for quote in quoted)
    finding = Finding(criterion_id="C1", status=FindingStatus(status), evidence=evidence)
    return GradientResult(score=1.0, confidence=1.0, findings=(finding,))


class Instant:
    """A scripted judge that never waits."""

    kind = "scripted"
    description = "Follows a script."
    waits: Literal[False] = False

    def __init__(self, name: str, script: Script = SILENT) -> None:
        self.name = name
        self.script = script
        self.asked: list[Evaluation] = []

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        self.asked.append(evaluation)
        return _played(self.script)


class Waiting:
    """A scripted judge that answers after some seconds, or never."""

    kind = "scripted"
    description = "Follows a script."
    waits: Literal[True] = True

    def __init__(self, name: str, seconds: float = 1.0, script: Script = SILENT) -> None:
        self.name = name
        self.seconds = seconds
        self.script = script
        self.asked: list[Evaluation] = []
        self.asked_at: list[float] = []
        self.timeouts: list[float] = []
        self.cancelled = 0
        self.closed: list[float] = []

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        self.asked.append(evaluation)
        self.asked_at.append(asyncio.get_running_loop().time())
        self.timeouts.append(timeout_seconds)
        try:
            await anyio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return _played(self.script)

    async def close(self, grace_seconds: float) -> None:
        self.closed.append(grace_seconds)


def _played(script: Script) -> Answer:
    if isinstance(script, BaseException):
        raise script
    return script  # type: ignore[return-value] # some scripts lie


class Watcher(SilentObserver):
    """An observer that keeps everything that it is told."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str]] = []
        self.finished: list[tuple[str, SeatResult]] = []
        self.stages: list[StageResult] = []
        self.decisions: list[Decision] = []

    def seat_started(self, stage: str, judge: str) -> None:
        self.started.append((stage, judge))

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        self.finished.append((stage, seat))

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        self.stages.append(stage)

    def decided(self, decision: Decision) -> None:
        self.decisions.append(decision)

    @property
    def balanced(self) -> bool:
        """Whether every seat that was started was finished, once."""
        told = [(stage, seat.judge) for stage, seat in self.finished]
        return sorted(told) == sorted(self.started)


def stage(*judges: str | Seat, **fields: Any) -> Stage:
    """Return a stage with a panel; fields of Panel, Gate and Stage go where they belong."""
    seats = tuple(seat if isinstance(seat, Seat) else Seat(judge=seat) for seat in judges)
    panel = {key: fields.pop(key) for key in Panel.__struct_fields__ if key in fields}
    gate = {key: fields.pop(key) for key in Gate.__struct_fields__ if key in fields}
    own = {
        "name": "bench",
        "on_pass": Action.ACCEPT,
        "on_fail": Action.RETRY,
        "on_unsure": Action.RETRY,
        "on_no_quorum": Action.ESCALATE,
    }
    return Stage(panel=Panel(seats=seats, **panel), gate=Gate(**gate), **{**own, **fields})


def policy(*stages: Stage, **fields: Any) -> Policy:
    """Return a policy of these stages."""
    return Policy(**{"name": "rules", "revision": "sha256:0", "stages": stages, **fields})


def bench(judges: Sequence[Judge]) -> dict[str, Judge]:
    """Return the judges by name."""
    return {judge.name: judge for judge in judges}


async def decide(
    rules: Policy | Stage,
    *judges: Judge,
    about: Submission | None = None,
    watcher: Watcher | None = None,
    seconds: float = 30.0,
    hierarchy: Hierarchy | None = None,
) -> Decision:
    """Judge in virtual time, through the engine's only door."""
    return await Engine(VirtualClock()).judge(
        about or submission(),
        policy(rules) if isinstance(rules, Stage) else rules,
        bench(judges),
        watcher or Watcher(),
        budget_seconds=seconds,
        hierarchy=hierarchy,
    )


def seats_of(decision: Decision, index: int = -1) -> Mapping[str, SeatResult]:
    """Return the seats of one stage by judge; of the last one unless told."""
    consensus = decision.stages[index].consensus
    return {seat.judge: seat for seat in consensus.seats} if consensus else {}
