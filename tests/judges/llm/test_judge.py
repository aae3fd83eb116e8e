"""How a model is asked, asked again, billed, and what its answer becomes."""

import asyncio
from contextlib import suppress

import pytest

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, FindingStatus, Usage
from consensus.domain.policy import Gate
from consensus.judges.llm.answer import LEFT_OUT
from consensus.judges.llm.chat import Finish
from tests.builders import criteria, decide, seats_of, stage, submission
from tests.judges.llm.scripted import (
    COST,
    SECONDS,
    Line,
    ScriptedModel,
    answer,
    evaluation,
    finding,
    gradient,
    judge,
    says,
    told,
)
from tests.virtual_clock import VIRTUAL

CUT_OFF = told('{"score": 0.8', Finish.LENGTH)
ABOUT = submission(rubric=criteria("C1"))


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


async def test_a_sound_reply_is_a_gradient_that_says_how_it_came_about() -> None:
    model = ScriptedModel(says(0.9, 0.8, findings={"C1": "MET"}))
    found = await gradient(model, ABOUT)
    assert (found.score, found.confidence, found.reasoning) == (0.9, 0.8, "Because.")
    assert [(f.criterion_id, f.status) for f in found.findings] == [("C1", FindingStatus.MET)]
    seed = found.metadata["criteria_seed"]
    assert seed.isdecimal()
    assert found.metadata == {
        "model": "m-1",
        "prompt_version": "2",
        "criteria_seed": seed,
        "finish": "stop",
        "score_method": "parsed",
        "parse_mode": "strict",
        "confidence_source": "stated",
    }
    assert len(model.asked) == 1
    assert model.asked[0].temperature == 0
    assert model.asked[0].max_tokens == 800
    assert model.asked[0].top_logprobs == 0


async def test_an_abstention_has_the_judges_reason() -> None:
    assert await answer(ScriptedModel(says(None)), ABOUT) == Abstention("Because.")
    blank = await answer(ScriptedModel(says(None, reasoning=" ")), ABOUT)
    assert blank == Abstention("The judge cannot tell.")


@pytest.mark.parametrize("bad", ["I like it.", CUT_OFF, '{"score": 7}'])
async def test_an_unusable_reply_is_asked_for_once_more(bad: Line) -> None:
    model = ScriptedModel(bad, says(0.4))
    about = evaluation(ABOUT)
    found = await judge(model).evaluate(about, SECONDS)
    assert not isinstance(found, Abstention)
    assert found.score == 0.4
    first, second = model.asked
    assert second.max_tokens == first.max_tokens * (2 if bad is CUT_OFF else 1)
    assert second.system == first.system
    assert "could not be used" in second.user
    assert "could not be used" not in first.user
    ledger = about.ledger("model")
    assert ledger.attempts == 2
    assert ledger.usage == Usage(input_tokens=200, output_tokens=20, cost_usd=2 * COST)


@pytest.mark.parametrize(
    ("bad", "kind"), [("I like it.", FailureKind.UNREADABLE), (CUT_OFF, FailureKind.TRUNCATED)]
)
async def test_a_second_unusable_reply_fails_the_seat(bad: Line, kind: FailureKind) -> None:
    model = ScriptedModel(bad)
    about = evaluation(ABOUT)
    with pytest.raises(JudgeFailed) as failed:
        await judge(model).evaluate(about, SECONDS)
    assert failed.value.kind is kind
    assert about.ledger("model").attempts == 2
    assert about.ledger("model").usage == Usage(
        input_tokens=200, output_tokens=20, cost_usd=2 * COST
    )


@pytest.mark.parametrize(
    ("finish", "kind"),
    [(Finish.REFUSED, FailureKind.REFUSED), (Finish.FILTERED, FailureKind.FILTERED)],
)
async def test_a_refusal_is_final_whatever_it_holds(finish: Finish, kind: FailureKind) -> None:
    model = ScriptedModel(told(says(0.9), finish))
    with pytest.raises(JudgeFailed) as failed:
        await answer(model, ABOUT)
    assert failed.value.kind is kind
    assert len(model.asked) == 1


@pytest.mark.parametrize(("seconds", "asked"), [(9.0, 2), (10.0, 1), (14.0, 1)])
async def test_nobody_is_asked_again_without_as_much_time_as_the_first_took(
    seconds: float, asked: int
) -> None:
    model = ScriptedModel("prose", says(0.4), seconds=seconds)
    with suppress(JudgeFailed):
        await judge(model).evaluate(evaluation(ABOUT), 20.0)
    assert len(model.asked) == asked
    assert model.timeouts == [20.0, 20.0 - seconds][:asked]


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.UNREADABLE])
async def test_a_call_without_a_bill_may_have_cost_something(kind: FailureKind) -> None:
    about = evaluation(ABOUT)
    with pytest.raises(JudgeFailed):
        await judge(ScriptedModel(JudgeFailed(kind, "no reply"))).evaluate(about, 1.5)
    assert about.ledger("model").usage == Usage(cost_usd=None)


async def test_a_cancelled_call_is_counted_and_may_have_cost_something() -> None:
    about = evaluation(ABOUT)
    model = ScriptedModel(says(), seconds=60)
    task = asyncio.create_task(judge(model).evaluate(about, 90.0))
    await model.begun.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (about.ledger("model").attempts, about.ledger("model").usage) == (
        1,
        Usage(cost_usd=None),
    )


async def test_a_limited_call_costs_nothing() -> None:
    about = evaluation(ABOUT)
    failure = JudgeFailed(FailureKind.RATE_LIMITED, "the backend answered 429")
    with pytest.raises(JudgeFailed):
        await judge(ScriptedModel(failure)).evaluate(about, SECONDS)
    assert (about.ledger("model").attempts, about.ledger("model").usage) == (1, None)


async def test_a_missing_confidence_fails_the_seat_unless_the_policy_fills_it() -> None:
    with pytest.raises(JudgeFailed) as failed:
        await answer(ScriptedModel(says(0.9, None)), ABOUT)
    assert failed.value.kind is FailureKind.UNREADABLE
    found = await gradient(ScriptedModel(says(0.9, None)), ABOUT, missing_confidence=0.8)
    assert (found.confidence, found.metadata["confidence_source"]) == (0.8, "missing")


@pytest.mark.parametrize(
    ("missing", "required", "status"),
    [
        ("unmet", True, FindingStatus.UNMET),
        ("unmet", False, FindingStatus.INCONCLUSIVE),
        ("inconclusive", True, FindingStatus.INCONCLUSIVE),
    ],
)
async def test_a_criterion_left_out_is_not_met(
    missing: str, required: bool, status: FindingStatus
) -> None:
    about = submission(rubric=(*criteria("C1"), *criteria("C2", required=required)))
    model = ScriptedModel(says(0.9, findings={"C1": "MET"}))
    found = await gradient(model, about, missing_findings=missing)
    first, second = found.findings
    assert first.status is FindingStatus.MET
    assert (second.criterion_id, second.status, second.notes) == ("C2", status, LEFT_OUT)


async def test_met_without_a_quotation_is_inconclusive_where_evidence_is_demanded() -> None:
    said = [finding("C1", "MET"), finding("C2", "MET", " "), finding("C3", "UNMET")]
    about = submission(rubric=criteria("C1", "C2", "C3"))
    model = ScriptedModel(says(0.9, findings=said))
    demanded = await gradient(model, about, evidence="required")
    assert [f.status.name for f in demanded.findings] == ["INCONCLUSIVE", "INCONCLUSIVE", "UNMET"]
    free = await gradient(model, about)
    assert [f.status.name for f in free.findings] == ["MET", "MET", "UNMET"]


async def test_an_invented_quotation_is_struck_and_does_not_pass_the_gate() -> None:
    about = submission("The tower opens at nine.", rubric=criteria("C1"))
    for quote, passed, struck in (("opens  at nine", True, 0), ("opens at ten", False, 1)):
        model = ScriptedModel(says(0.9, findings=[finding("C1", "MET", quote)]))
        asked = judge(model, evidence="required")
        decision = await decide(stage("model", min_score=Gate().min_score), asked, about=about)
        seat = seats_of(decision)["model"]
        assert seat.struck == struck
        assert (decision.verdict.name == "ACCEPT") is passed


async def test_the_record_of_a_decision_holds_attempts_and_usage() -> None:
    model = ScriptedModel("prose", says(0.9))
    decision = await decide(stage("model"), judge(model), about=submission())
    seat = seats_of(decision)["model"]
    assert seat.attempts == 2
    assert seat.usage == Usage(input_tokens=200, output_tokens=20, cost_usd=2 * COST)


async def test_the_worst_cost_counts_every_sample_pass_and_second_attempt() -> None:
    about = evaluation(submission(rubric=criteria("C1", "C2")))
    cheap = judge(ScriptedModel(says(), cost=0.01), max_tokens=100)
    assert await cheap.worst_cost(about) == pytest.approx(0.01 * (100 + 200))
    fields = {"samples": 3, "temperature": 1.0, "second_pass": "reorder", "max_tokens": 100}
    dear = judge(ScriptedModel(says(), cost=0.01), **fields)
    assert await dear.worst_cost(about) == pytest.approx(2 * 3 * 0.01 * (100 + 200))
    assert await judge(ScriptedModel(says(), cost=None)).worst_cost(about) is None
