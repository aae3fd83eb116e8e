"""The contract of every judge, whatever it is made of. Each implementation runs all of it."""

import asyncio

import anyio
import pytest

from consensus.domain.decision import Hierarchy, SeatStatus
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, GradientResult, unit
from consensus.domain.ports import Judge, WaitingJudge
from consensus.domain.submission import Submission
from consensus.validators import Locator
from tests.builders import decide, seats_of, stage
from tests.wire.sample import decision_to

SECONDS = 5.0


async def answers_soundly(judge: Judge, about: Submission) -> None:
    """Ask about a valid submission: any answer is within the contract, and nothing is raised."""
    evaluation = Evaluation(about, Hierarchy())
    answer = (
        await judge.evaluate(evaluation, SECONDS) if judge.waits else judge.evaluate_now(evaluation)
    )
    if isinstance(answer, Abstention):
        assert answer.reason.strip()
    else:
        assert isinstance(answer, GradientResult)
        _sound(answer, about)
    decision = await decide(stage(judge.name), judge, about=about, seconds=SECONDS)
    seat = seats_of(decision)[judge.name]
    assert seat.status in (SeatStatus.SCORED, SeatStatus.ABSTAINED)
    assert seat.struck == 0
    decision_to(decision)


def _sound(gradient: GradientResult, about: Submission) -> None:
    ids = [finding.criterion_id for finding in gradient.findings]
    locator = Locator(about)
    assert unit(gradient.score)
    assert unit(gradient.confidence)
    assert all(unit(signal.score) for signal in gradient.signals)
    assert len(set(ids)) == len(ids)
    assert set(ids) <= {criterion.id for criterion in about.rubric}
    for finding in gradient.findings:
        assert all(locator.holds(evidence) for evidence in finding.evidence), finding


async def abstains(judge: Judge, about: Submission) -> None:
    """Ask about a submission that holds nothing for this judge."""
    decision = await decide(stage(judge.name), judge, about=about, seconds=SECONDS)
    assert seats_of(decision)[judge.name].status is SeatStatus.ABSTAINED


async def stops_when_cancelled(
    judge: WaitingJudge, about: Submission, asked: anyio.Event, stopped: anyio.Event
) -> None:
    """Cancel a call under way. `asked` is set once the work has begun, `stopped` once it ended."""
    task = asyncio.create_task(judge.evaluate(Evaluation(about, Hierarchy()), 60.0))
    with anyio.fail_after(10):
        await asked.wait()
        task.cancel()
        await asyncio.wait([task])
        await stopped.wait()
    assert task.cancelled()


async def fails_as_judges_fail(judge: WaitingJudge, about: Submission) -> JudgeFailed:
    """Return the failure: the only thing that a judge may raise."""
    with pytest.raises(JudgeFailed) as caught:
        await judge.evaluate(Evaluation(about, Hierarchy()), SECONDS)
    assert 0 < len(caught.value.reason) <= 300
    return caught.value
