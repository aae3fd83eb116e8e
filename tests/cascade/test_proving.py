"""Proofs are gathered before the stages; one that fails, hangs or crashes fails its check alone."""

import asyncio
from collections.abc import Sequence

import pytest

from consensus.cascade import Engine
from consensus.cascade.budget import Budget
from consensus.cascade.proving import prove
from consensus.domain.decision import Decision, Hierarchy, Verdict
from consensus.domain.evaluation import Evaluation
from consensus.domain.guards import GoalGuards, Guards
from consensus.domain.policy import Action, Policy, Stage
from consensus.domain.ports import Proof, Prover
from consensus.domain.submission import (
    Check,
    Contains,
    Criterion,
    SandboxKind,
    SqlQuery,
    Submission,
    UrlAnswer,
)
from consensus.judges.embedded import embedded_judges
from consensus.validators import run_checks
from tests.builders import Watcher, policy, stage, submission
from tests.virtual_clock import VirtualClock

SQL, URL = Check(SqlQuery()), Check(UrlAnswer())
HOLDS = Proof(True, "it ran", ("SELECT 1",))
TEXT = "SELECT 1 -- http://a.example"


class Scripted:
    """A prover that does what it is told for each kind."""

    def __init__(self, sql: object = HOLDS, url: object = HOLDS) -> None:
        self.scripts = {SqlQuery: sql, UrlAnswer: url}
        self.asked: list[tuple[str, ...]] = []
        self.cancelled = 0

    async def prove(self, kind: SandboxKind, subjects: Sequence[str]) -> Proof:
        self.asked.append(tuple(subjects))
        script = self.scripts[type(kind)]  # type: ignore[index]
        if isinstance(script, BaseException):
            raise script
        if isinstance(script, float):
            try:
                await asyncio.sleep(script)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return script if isinstance(script, Proof) else HOLDS


def about(*checks: Check, text: str = TEXT) -> Submission:
    rubric = [
        Criterion(id=f"C{n}", text="x", required=True, checks=(check,))
        for n, check in enumerate(checks)
    ]
    return submission(text, rubric=tuple(rubric))


def checked(*checks: Check, **more: object) -> Policy:
    gate = Stage(
        name="checks", checks=checks, on_pass=Action.ACCEPT, on_fail=Action.RETRY,
        on_unsure=Action.RETRY, on_no_quorum=None,
    )  # fmt: skip
    return policy(gate, **more)


async def decided(
    rules: Policy, asked: Submission, prover: Prover | None, seconds: float = 10.0
) -> Decision:
    return await Engine(VirtualClock()).judge(
        asked,
        rules,
        embedded_judges(run_checks),
        Watcher(),
        budget_seconds=seconds,
        prover=prover,
    )


async def test_the_checks_judge_and_a_stage_of_checks_find_the_proofs() -> None:
    prover = Scripted()
    decision = await decided(policy(stage("checks")), about(SQL, URL), prover)
    assert decision.verdict is Verdict.ACCEPT
    assert prover.asked == [(TEXT,), ("http://a.example",)]
    decision = await decided(checked(SQL, Check(Contains("SELECT"))), about(), Scripted())
    assert decision.verdict is Verdict.ACCEPT


async def test_a_check_is_proven_once_however_often_it_stands() -> None:
    prover = Scripted()
    await decided(checked(SQL, SQL), about(SQL, SQL), prover)
    assert len(prover.asked) == 1


@pytest.mark.parametrize(
    ("prover", "seen"),
    [
        (Scripted(Proof(False, "no such table")), "no such table"),
        (Scripted(RuntimeError("secret")), "it was not verified: crashed with RuntimeError"),
        (Scripted(60.0), "it was not verified: it took too long"),
        (Scripted(asyncio.CancelledError()), "it was not verified: it took too long"),
        (None, "it was not verified: there is no sandbox"),
    ],
    ids=["failed", "crashed", "late", "cancelled itself", "no sandbox"],
)
async def test_what_is_not_proven_fails_its_check_and_not_the_call(
    prover: Scripted | None, seen: str
) -> None:
    decision = await decided(policy(stage("checks")), about(SQL), prover)
    assert decision.verdict is Verdict.RETRY
    assert seen in decision.feedback
    assert "secret" not in str(decision)


async def test_proofs_leave_half_of_the_budget_to_the_stages() -> None:
    clock = VirtualClock()
    began = clock.monotonic()
    prover = Scripted(60.0)
    await decided(policy(stage("checks")), about(SQL, URL), prover, seconds=10.0)
    assert clock.monotonic() - began == pytest.approx(5.0, abs=0.1)
    assert prover.cancelled == 1


async def test_a_caller_who_leaves_ends_the_proofs() -> None:
    prover = Scripted(60.0, 60.0)
    task = asyncio.create_task(decided(policy(stage("checks")), about(SQL, URL), prover))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert prover.cancelled == 2


async def test_nothing_is_proven_where_there_is_nothing_or_a_guard_has_settled_it() -> None:
    prover = Scripted()
    decision = await decided(policy(stage("checks")), about(URL, text="no link"), prover)
    assert "there is nothing of this kind" in decision.feedback
    goal = Guards(goal=GoalGuards())
    refused = about(SQL, text="I cannot help with that.")
    decision = await decided(policy(stage("checks"), guards=goal), refused, prover)
    assert decision.verdict is Verdict.ESCALATE
    assert prover.asked == []


async def test_what_is_known_already_is_not_proven_again() -> None:
    clock, prover = VirtualClock(), Scripted()
    evaluation = Evaluation(about(SQL, URL), Hierarchy())
    first = await prove({SQL: SqlQuery()}, evaluation, prover, Budget(clock, 10))
    known = Evaluation(about(SQL, URL), Hierarchy(), proofs=first)
    both = {SQL: SqlQuery(), URL: UrlAnswer()}
    second = await prove(both, known, prover, Budget(clock, 10))  # type: ignore[arg-type]
    assert second[SQL] is first[SQL]
    assert len(prover.asked) == 2


async def test_a_text_that_takes_too_much_to_read_is_not_proven() -> None:
    prover = Scripted()
    many = [Check(UrlAnswer(str(n))) for n in range(16)]
    text = "http://a.example " * 230_000
    decision = await decided(checked(*many), submission(text), prover)
    assert decision.verdict is Verdict.RETRY
    assert decision.stages[0].duration_seconds == 0.0
    unread = [check for check in decision.stages[0].checks if "more work than" in check.message]
    assert unread
    assert not any(check.passed for check in unread)
    assert prover.asked
