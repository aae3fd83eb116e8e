"""`derive_criteria`: a model derives the rubric from the task; every seat and the caller get it."""

import asyncio
import re

import grpc
import pytest

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.submission import Check, Contains, Criterion
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import gradient_pb2
from tests.builders import Instant, Waiting, scores
from tests.service.deriving_judge import RUBRIC, Model, seat
from tests.service.refusal import events, refused
from tests.service.running import policy, request, rules, serving, submission

SEATED = rules(default=policy("conduct", "model"), plain=policy("conduct"))
DERIVE = pb.DeriveCriteria()
TASK = "Name the capital."


async def test_the_derived_rubric_is_what_every_seat_judges_by_and_comes_back() -> None:
    watching = Instant("conduct", scores(0.8))
    async with serving(SEATED) as server:
        model = Model()
        seat(server, model, watching)
        decision = (await server.consensus.Judge(request(derive_criteria=DERIVE))).decision
    assert [(c.id, c.text, c.required) for c in decision.derived_rubric.criteria] == [
        ("C1", "Names the capital.", True),
        ("C2", "Says where it lies.", False),
    ]
    assert model.tasks == [(TASK, 8)]
    assert watching.asked[0].submission.rubric == model.asked[0].submission.rubric == RUBRIC
    assert [c.criterion_id for c in decision.criteria] == ["C1", "C2"]


async def test_what_deriving_took_is_in_the_usage_and_the_metrics() -> None:
    async with serving(SEATED) as server:
        seat(server, Model())
        decision = (await server.consensus.Judge(request(derive_criteria=DERIVE))).decision
        assert decision.usage == gradient_pb2.Usage(
            input_tokens=80, output_tokens=40, cost_usd=0.004
        )
        tokens = server.value("consensus_judge_tokens_total", judge="model", kind="input")
        cost = server.value("consensus_judge_cost_usd_total", judge="model")
    assert (tokens, cost) == (80, pytest.approx(0.004))


async def test_without_the_field_nothing_is_derived() -> None:
    async with serving(SEATED) as server:
        model = Model()
        seat(server, model)
        decision = (await server.consensus.Judge(request())).decision
    assert model.tasks == []
    assert not decision.HasField("derived_rubric")


async def test_a_judge_may_be_named_and_the_number_of_criteria_be_bounded() -> None:
    async with serving(rules(default=policy("model", "other"))) as server:
        first, other = Model(), Model("other")
        seat(server, first, other)
        wanted = pb.DeriveCriteria(judge="other", max_criteria=3)
        await server.consensus.Judge(request(derive_criteria=wanted))
    assert (first.tasks, other.tasks) == ([], [(TASK, 3)])


async def test_a_policy_that_needs_a_rubric_takes_a_derived_one() -> None:
    needs = policy("model") | {"rubric": "required"}
    async with serving(rules(default=needs)) as server:
        seat(server, Model())
        assert (await server.consensus.Judge(request(derive_criteria=DERIVE))).decision.verdict


async def test_a_stream_ends_with_the_derived_rubric() -> None:
    async with serving(SEATED) as server:
        seat(server, Model())
        asked = pb.StreamJudgeRequest(request=request(derive_criteria=DERIVE))
        told = await events(server.consensus.StreamJudge(asked))
    assert len(told[-1].decision.derived_rubric.criteria) == 2


async def test_items_of_a_batch_derive_each_for_itself() -> None:
    async with serving(SEATED) as server:
        seat(server, Model())
        both = [request(derive_criteria=DERIVE), request()]
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=both))
    derived = [len(result.decision.derived_rubric.criteria) for result in reply.results]
    assert derived == [2, 0]


async def test_the_same_request_id_gets_the_same_rubric_without_deriving_again() -> None:
    async with serving(SEATED) as server:
        model = Model()
        seat(server, model)
        asked = request(request_id="one", derive_criteria=DERIVE)
        first = await server.consensus.Judge(asked)
        assert await server.consensus.Judge(asked) == first
    assert len(model.tasks) == 1


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        (
            request(submission=submission(rubric={"criteria": [{"id": "C1", "text": "T"}]})),
            "submission.rubric.criteria",
            "has criteria, and derive_criteria is set; must be one of them",
        ),
        (
            request(derive_criteria=pb.DeriveCriteria(max_criteria=33)),
            "derive_criteria.max_criteria",
            "is 33; must be 1 to 32, or 0 for 8",
        ),
        (
            request(derive_criteria=pb.DeriveCriteria(max_criteria=-1)),
            "derive_criteria.max_criteria",
            "is -1; must be 1 to 32, or 0 for 8",
        ),
        (
            request(derive_criteria=pb.DeriveCriteria(judge="conduct")),
            "derive_criteria.judge",
            "is 'conduct'; must be one of the seated llm judges: model",
        ),
        (
            request(derive_criteria=pb.DeriveCriteria(judge="nobody")),
            "derive_criteria.judge",
            "is 'nobody'; must be one of the seated llm judges: model",
        ),
        (
            request("plain"),
            "derive_criteria.judge",
            (
                "is empty, and policy 'plain' seats no llm judge; must be one of the seated llm"
                " judges: model"
            ),
        ),
    ],
)
async def test_what_cannot_be_derived_is_refused_by_its_field(
    asked: pb.JudgeRequest, field: str, words: str
) -> None:
    if not asked.HasField("derive_criteria"):
        asked.derive_criteria.SetInParent()
    async with serving(SEATED) as server:
        model = Model()
        seat(server, model)
        seen = await refused(server.consensus.Judge(asked))
        assert seen.fields == {field: words}
        assert model.tasks == []


async def test_a_server_without_any_model_says_so() -> None:
    async with serving(rules(default=policy("conduct"))) as server:
        seen = await refused(server.consensus.Judge(request(derive_criteria=DERIVE)))
    assert seen.fields["derive_criteria.judge"].endswith("must be an llm judge, and none is seated")


LONG = Criterion(id="C1", text="x" * 9_000)


@pytest.mark.parametrize(
    ("derived", "cause"),
    [
        (JudgeFailed(FailureKind.REFUSED, "the model declined"), "the model declined"),
        (RuntimeError("the key is 123"), "crashed with RuntimeError"),
        (asyncio.CancelledError(), "crashed with CancelledError"),
        ((), "it must give 1 to 8 criteria"),
        (None, "it must give 1 to 8 criteria"),
        (RUBRIC * 5, "it must give 1 to 8 criteria"),
        (RUBRIC[:1] * 2, "two criteria have the same id"),
        ((Criterion(id="no spaces", text="T"),), "a criterion's id breaks the contract"),
        (("C1",), "a criterion's id breaks the contract"),
        ((Criterion(id="C1", text=" \x1b "),), "a criterion has no text"),
    ],
    ids=str,
)
async def test_a_rubric_that_could_not_be_derived_is_an_error_and_nobody_judges(
    derived: object, cause: str
) -> None:
    async with serving(SEATED) as server:
        model = Model(derived=derived)
        seat(server, model)
        seen = await refused(server.consensus.Judge(request(derive_criteria=DERIVE)))
        assert (seen.code, seen.reason) == (
            grpc.StatusCode.UNAVAILABLE,
            "CRITERIA_NOT_DERIVED",
        )
        assert seen.message == f"judge 'model' derived no rubric: {cause}"
        assert model.asked == []
        assert server.value("consensus_judge_cost_usd_total", judge="model") == 0.002


async def test_derived_text_is_cut_and_checks_are_not_taken_over() -> None:
    checked = Criterion(id="C2", text="T", weight=-1, checks=(Check(Contains("x")),))
    async with serving(SEATED) as server:
        seat(server, Model(derived=(LONG, checked)))
        decision = (await server.consensus.Judge(request(derive_criteria=DERIVE))).decision
    long, plain = decision.derived_rubric.criteria
    assert (len(long.text), long.text[-1]) == (4_000, "…")
    assert (plain.weight, len(plain.checks)) == (1, 0)


class Wrapped(Waiting):
    """A model with a habit around it."""

    most_calls = 1

    def __init__(self, within: Model) -> None:
        super().__init__(within.name, 0.0, scores(0.9))
        self.within = within


async def test_a_model_derives_within_its_habits() -> None:
    async with serving(SEATED) as server:
        model = Model()
        seat(server, Wrapped(model))
        decision = (await server.consensus.Judge(request(derive_criteria=DERIVE))).decision
        wanted = pb.DeriveCriteria(judge="conduct")
        seen = await refused(server.consensus.Judge(request(derive_criteria=wanted)))
    assert len(decision.derived_rubric.criteria) == 2
    assert seen.fields["derive_criteria.judge"].endswith("seated llm judges: model")
    assert len(model.tasks) == 1


class Slow(Model):
    """Derives nothing until it is cancelled."""

    async def derive(self, *given: object) -> tuple[Criterion, ...]:  # type: ignore[override]
        await asyncio.Event().wait()
        raise AssertionError


async def test_deriving_takes_at_most_half_of_the_budget() -> None:
    async with serving(SEATED) as server:
        seat(server, Slow())
        call = server.consensus.Judge(request(derive_criteria=DERIVE), timeout=1.0)
        seen = await refused(call)
    assert seen.reason == "CRITERIA_NOT_DERIVED"
    assert re.search(r"no answer within 0\.[0-4]\d* s$", seen.message)


async def test_deriving_is_paid_from_the_same_purse() -> None:
    async with serving(SEATED) as server:
        model = Model()
        seat(server, model)
        call = server.consensus.Judge(request(derive_criteria=DERIVE, max_cost_usd=0.011))
        decision = (await call).decision
        (_, failed) = decision.stages[0].consensus.individual_results
        assert failed.failure.reason == (
            "could cost $0.01, and $0.009 of the request's $0.011 are left"
        )
        assert decision.usage.cost_usd == 0.002
        assert server.value("consensus_spend_refused_total", judge="model") == 1
        call = server.consensus.Judge(request(derive_criteria=DERIVE, max_cost_usd=0.009))
        seen = await refused(call)
        assert (seen.code, seen.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "SPEND_LIMIT_REACHED",
        )
        assert len(model.tasks) == 1


async def test_a_rubric_derived_without_any_usage_told_costs_nothing() -> None:
    async with serving(SEATED) as server:
        seat(server, Model(tells_usage=False))
        asked = request(derive_criteria=DERIVE, max_cost_usd=0.011)
        decision = (await server.consensus.Judge(asked)).decision
    assert len(decision.derived_rubric.criteria) == 2
    (_, scored) = decision.stages[0].consensus.individual_results
    assert scored.HasField("gradient")  # 0.01 is left for it
    assert decision.usage == gradient_pb2.Usage(input_tokens=40, output_tokens=20, cost_usd=0.002)


@pytest.mark.parametrize("most", [0.0, -1.0, float("nan"), float("inf")])
async def test_a_limit_must_be_an_amount_of_money(most: float) -> None:
    async with serving(SEATED) as server:
        seen = await refused(server.consensus.Judge(request(max_cost_usd=most)))
    assert seen.fields == {"max_cost_usd": f"is {most:g}; must be finite and above 0"}
