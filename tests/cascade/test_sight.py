"""A panel that sees less: what its judges are shown, and where their quotations stand."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from consensus.domain.decision import SeatStatus
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Failure, FailureKind, Finding, FindingStatus, GradientResult
from consensus.domain.policy import SpendLimits
from consensus.domain.sight import Sees
from consensus.domain.submission import Message, Submission
from tests.builders import (
    Instant,
    Waiting,
    criteria,
    decide,
    policy,
    quotes,
    scores,
    seats_of,
    stage,
)
from tests.builders import submission as made

HIVE = Sees(
    messages=10, tool_chars=200, output_chars=300, object_chars=400, list_items=8, item_chars=150
)
LONG = tuple(Message("user" if at % 2 else "tool", f"word {at} " + "x" * 300) for at in range(25))


async def shown(sees: Sees | None, about: Submission) -> Submission:
    """Return what a judge that waits is shown."""
    judge = Waiting("model", script=scores(0.9))
    await decide(stage("model", sees=sees), judge, about=about)
    return judge.asked[0].submission


async def test_the_last_ten_messages_are_shown_those_of_tools_cut_at_two_hundred() -> None:
    seen = await shown(HIVE, made(messages=LONG))
    assert [message.content.split()[1] for message in seen.messages] == [
        str(at) for at in range(15, 25)
    ]
    for message in seen.messages:
        assert len(message.content) == (201 if message.role == "tool" else 308)


async def test_no_message_may_be_shown_at_all() -> None:
    assert (await shown(Sees(messages=0), made(messages=LONG))).messages == ()


async def test_fewer_messages_than_may_be_seen_are_all_there() -> None:
    assert (await shown(HIVE, made(messages=LONG[:1]))).messages[0].content[:6] == "word 0"


@pytest.mark.parametrize(
    ("output", "seen"),
    [
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 300 + "…"),
        (12.5, 12.5),
        (None, None),
        ({"a": "x" * 380}, {"a": "x" * 380}),
        ({"a": "x" * 500}, '{"a": "' + "x" * 393 + "…"),
        (["x"] * 8, ["x"] * 8),
        (["x"] * 10, "[" + '"x", ' * 8 + "… and 2 more]"),
        (["x" * 200], '["' + "x" * 149 + "…]"),
        ([1, {"b": 2}], [1, {"b": 2}]),
        (object, object),
    ],
    ids=[
        "short text", "long text", "number", "null", "short object", "long object", "eight items",
        "ten items", "long item", "items of all kinds", "no JSON",
    ],
)  # fmt: skip
async def test_outputs_are_shown_by_their_beginnings(output: Any, seen: Any) -> None:
    assert (await shown(HIVE, made(outputs={"key": output}))).outputs["key"] == seen


async def test_what_no_bound_is_given_for_is_shown_whole() -> None:
    whole: Mapping[str, Any] = {"text": "x" * 9_000, "object": {"a": "x" * 9_000}, "list": [1] * 99}
    about = made(outputs=whole, messages=LONG)
    assert await shown(Sees(), about) == about
    assert await shown(None, about) is about


@pytest.mark.parametrize(("said", "stands"), [(0, 15), (9, 24), (None, None)])
async def test_evidence_is_counted_from_the_first_message_of_all(
    said: int | None, stands: int | None
) -> None:
    about = made("word 0", rubric=criteria("C1"), messages=LONG)
    words = "word 0" if stands is None else f"word {stands}"
    judge = Waiting("model", script=quotes("met", words, index=said))
    decision = await decide(stage("model", sees=HIVE), judge, about=about)
    [found] = decision.criteria
    assert (found.status, found.evidence[0].message_index) == (FindingStatus.MET, stands)


@pytest.mark.parametrize("said", [10, 24, -1])
async def test_a_message_that_was_not_shown_cannot_be_quoted(said: int) -> None:
    about = made(rubric=criteria("C1"), messages=LONG)
    judge = Waiting("model", script=quotes("met", "word 24", index=said))
    decision = await decide(stage("model", sees=HIVE), judge, about=about)
    assert decision.criteria[0].evidence == ()
    assert seats_of(decision)["model"].struck == 1


class Policy(Waiting):
    kind = "policy"


async def test_embedded_judges_and_policies_see_everything() -> None:
    about = made(rubric=criteria("C1"), messages=LONG, outputs={"key": "x" * 999})
    answer = quotes("met", "word 0", index=0)
    embedded, nested = Instant("embedded", answer), Policy("nested", script=answer)
    decision = await decide(stage("embedded", "nested", sees=HIVE), embedded, nested, about=about)
    assert embedded.asked[0].submission is nested.asked[0].submission is about
    assert [seat.struck for seat in seats_of(decision).values()] == [0, 0]


UNQUOTED: Any = Finding(criterion_id="C1", status=FindingStatus.MET)


@pytest.mark.parametrize(
    "findings", [5, [None], [replace(UNQUOTED, evidence=(1,))]], ids=["number", "none", "no quote"]
)
async def test_an_answer_that_breaks_the_contract_still_costs_its_seat(findings: Any) -> None:
    broken = replace(GradientResult(score=1.0, confidence=1.0), findings=findings)
    about = made(rubric=criteria("C1"), messages=LONG)
    decision = await decide(stage("model", sees=HIVE), Waiting("model", script=broken), about=about)
    seat = seats_of(decision)["model"]
    assert seat.status is SeatStatus.FAILED
    assert isinstance(seat.answer, Failure)
    assert seat.answer.kind is FailureKind.UNREADABLE


async def test_what_a_judge_took_is_on_record_as_ever() -> None:
    judge = Waiting("model", script=scores(0.9))
    decision = await decide(stage("model", sees=HIVE), judge, about=made(messages=LONG))
    judge.asked[0].ledger("late").attempts = 9
    assert seats_of(decision)["model"].attempts == 1


class Priced(Waiting):
    """Costs a cent for each message."""

    async def worst_cost(self, evaluation: Evaluation) -> float:
        return len(evaluation.submission.messages) / 100


@pytest.mark.parametrize(("sees", "status"), [(HIVE, "SCORED"), (None, "FAILED")])
async def test_money_is_set_aside_for_what_is_shown(sees: Sees | None, status: str) -> None:
    rules = policy(stage("model", sees=sees), spend=SpendLimits(per_request_usd=0.1))
    judge = Priced("model", script=scores(0.9))
    decision = await decide(rules, judge, about=made(messages=LONG))
    assert seats_of(decision)["model"].status is SeatStatus[status]
