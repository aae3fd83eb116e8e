"""A remote judge over the real wire: every status, every kind of reply, every way to lose it."""

from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest

from consensus.domain.decision import MAX_DEPTH, Hierarchy
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Evidence, Failure, FailureKind
from consensus.domain.submission import Submission
from consensus.judges.remote.failures import MAX_REPLY_BYTES
from consensus.v1 import gradient_pb2, judge_pb2
from consensus.wire import submission as wire_module
from consensus.wire.gradient import answer_to
from consensus.wire.otlp import Encoding, spans_from
from consensus.wire.submission import submission_from, submission_to
from tests.builders import criteria, decide, quotes, scores, seats_of, stage, submission
from tests.judges.backend import Context, Reply, Script, always, judge_at, refusing, serving
from tests.judges.contract import fails_as_judges_fail
from tests.traces.building import SAMPLE

SECRET = "the candidate's words and a Bearer token"
REPLY = answer_to(scores(0.75, 0.5, reasoning="Fine."))
ROOT = Hierarchy()


def about(hierarchy: Hierarchy = ROOT, **fields: Any) -> Evaluation:
    """Return an evaluation of a small submission."""
    return Evaluation(submission(**fields), hierarchy)


async def failure_of(script: Script) -> JudgeFailed:
    """Return how a judge fails whose backend follows `script`."""
    async with serving(script) as backend, judge_at(backend.target) as judge:
        return await fails_as_judges_fail(judge, submission())


async def test_an_answer_comes_back_as_the_backend_gave_it() -> None:
    said = quotes("met", "tower opens")
    async with serving(always(answer_to(said))) as backend, judge_at(backend.target) as judge:
        assert await judge.evaluate(about(rubric=criteria("C1")), 5) == said


async def test_an_abstention_comes_back_as_one() -> None:
    reply = answer_to(Abstention("Not my field."))
    async with serving(always(reply)) as backend, judge_at(backend.target) as judge:
        assert await judge.evaluate(about(), 5) == Abstention("Not my field.")


async def test_the_backend_is_asked_what_the_seat_was_asked() -> None:
    hierarchy = Hierarchy("parent", 2, ("root", "parent"))
    asked = submission(rubric=criteria("C1"), context={"turn": 3}, outputs={"plan": [1, None]})
    async with (
        serving(always(REPLY)) as backend,
        judge_at(backend.target, remote_judge="strict") as judge,
    ):
        await judge.evaluate(Evaluation(asked, hierarchy), 5)
    request = backend.requests[0]
    assert request.judge == "strict"
    assert submission_from(request.submission) == asked
    assert (request.hierarchy.parent_decision_id, request.hierarchy.depth) == ("parent", 2)
    assert list(request.hierarchy.path) == ["root", "parent"]


KINDS = {
    grpc.StatusCode.DEADLINE_EXCEEDED: FailureKind.TIMEOUT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: FailureKind.OVERLOADED,
}


@pytest.mark.parametrize(
    "code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]
)
async def test_every_status_is_a_failure_whose_reason_repeats_nothing(
    code: grpc.StatusCode,
) -> None:
    failed = await failure_of(refusing(code, SECRET))
    assert failed.kind is KINDS.get(code, FailureKind.ERROR)
    assert failed.about_submission is (code is grpc.StatusCode.INVALID_ARGUMENT)
    assert SECRET not in str(failed)
    assert failed.__cause__ is None
    assert failed.__context__ is None
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        assert failed.reason == "the backend did not answer in time"
    else:
        assert failed.reason == f"the backend answered {code.name}"


async def test_a_crash_of_the_backend_tells_nothing_of_its_text() -> None:
    async def crash(request: judge_pb2.EvaluateRequest, context: object) -> Reply:
        raise ValueError(SECRET)

    failed = await failure_of(crash)
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, "the backend answered UNKNOWN")


def gradient(**fields: Any) -> judge_pb2.EvaluateResponse:
    """Return a reply with a gradient of the contract, valid or not."""
    return judge_pb2.EvaluateResponse(gradient=gradient_pb2.GradientResult(**fields))


QUOTED = gradient_pb2.Finding(
    criterion_id="C1",
    status=gradient_pb2.FINDING_STATUS_MET,
    evidence=[gradient_pb2.Evidence(quote="Paris")] * 10_000,
)
TOO_MUCH = "the reply holds more than 10000 signals, findings and so on"
NEITHER = "the reply holds neither gradient nor abstention, or an unknown status"
UNREADABLE: dict[str, tuple[Reply, str]] = {
    "garbage": (b"\xff\xff\xffnonsense", "the reply is not the contract's"),
    "text that is not UTF-8": (b"\x12\x03\x0a\x01\xff", "the reply is not the contract's"),
    "nothing": (b"", NEITHER),
    "a field from the future": (b"\x7a\x02hi", NEITHER),
    "a finding without a status": (
        gradient(score=1.0, findings=[gradient_pb2.Finding(criterion_id="C1")]),
        NEITHER,
    ),
    "a finding with a status from the future": (
        gradient(score=1.0, findings=[gradient_pb2.Finding(criterion_id="C1", status=9)]),  # type: ignore[arg-type]
        NEITHER,
    ),
    "endless signals": (gradient(signals=[gradient_pb2.Signal()] * 1_000_000), TOO_MUCH),
    "endless findings": (gradient(findings=[gradient_pb2.Finding()] * 10_001), TOO_MUCH),
    "endless quotations": (gradient(findings=[QUOTED]), TOO_MUCH),
    "endless metadata": (gradient(metadata={str(n): "" for n in range(10_001)}), TOO_MUCH),
    "a reply above the limit": (
        gradient(score=1.0, reasoning="x" * (MAX_REPLY_BYTES + 1)),
        "the reply is larger than 4194304 bytes",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
async def test_a_reply_that_is_not_the_contracts_is_unreadable(case: str) -> None:
    reply, reason = UNREADABLE[case]
    failed = await failure_of(always(reply))
    assert (failed.kind, failed.reason) == (FailureKind.UNREADABLE, reason)


async def test_numbers_that_break_the_contract_fail_the_seat() -> None:
    reply = gradient(score=float("nan"), confidence=7.0)
    async with serving(always(reply)) as backend, judge_at(backend.target, "liar") as judge:
        decision = await decide(stage("liar"), judge)
    words = "score is nan; must be in [0, 1]"
    assert seats_of(decision)["liar"].answer == Failure(FailureKind.UNREADABLE, words)


async def test_a_submission_above_the_backends_limit_is_no_overload() -> None:
    large = submission("x" * (5 << 20))
    async with serving(always(REPLY)) as backend, judge_at(backend.target) as judge:
        failed = await fails_as_judges_fail(judge, large)
    words = "the submission is larger than the backend takes"
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, words)


async def test_five_seats_of_one_panel_encode_the_submission_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoded: list[Submission] = []
    encode = submission_to

    def spy(message: Submission, trace: object) -> object:
        encoded.append(message)
        assert trace is None
        return encode(message)

    monkeypatch.setattr(wire_module, "submission_to", spy)
    names = [f"judge {number}" for number in range(5)]
    async with serving(always(REPLY)) as backend, AsyncExitStack() as stack:
        opened = [judge_at(backend.target, name, remote_judge=name) for name in names]
        judges = [await stack.enter_async_context(judge) for judge in opened]
        decision = await decide(stage(*names), *judges)
    assert encoded == [submission()]
    assert sorted(request.judge for request in backend.requests) == names
    assert {request.submission.candidate for request in backend.requests} == {
        submission().candidate
    }
    assert decision.effective_score == 0.75


DEEP = Hierarchy("d3", MAX_DEPTH + 1, ("d0", "d1", "d2", "d3"))
LAST = Hierarchy("d2", MAX_DEPTH, ("d0", "d1", "d2"))
TOO_DEEP = "DEPTH_EXCEEDED: depth 3 is the last (d0 > d1 > d2 > d3)"


async def test_a_decision_at_the_last_depth_asks_no_further_panel() -> None:
    async with (
        serving(always(REPLY)) as backend,
        judge_at(backend.target, kind="consensus") as panel,
    ):
        with pytest.raises(JudgeFailed) as caught:
            await panel.evaluate(about(DEEP), 5)
        await panel.evaluate(about(LAST), 5)
    assert (caught.value.kind, caught.value.reason) == (FailureKind.ERROR, TOO_DEEP)
    assert [request.hierarchy.depth for request in backend.requests] == [MAX_DEPTH]


async def test_a_decision_at_the_last_depth_asks_judges_that_are_no_panels() -> None:
    async with serving(always(REPLY)) as backend, judge_at(backend.target) as leaf:
        assert await leaf.evaluate(about(DEEP), 5) == scores(0.75, 0.5, reasoning="Fine.")
    assert [list(request.hierarchy.path) for request in backend.requests] == [list(DEEP.path)]


async def test_a_panel_that_finds_the_chain_too_deep_says_so_by_its_word_and_path() -> None:
    async def refuse(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        await context.abort(
            grpc.StatusCode.FAILED_PRECONDITION, SECRET, (("consensus-reason", "DEPTH_EXCEEDED"),)
        )

    async with (
        serving(refuse) as backend,
        judge_at(backend.target, kind="consensus") as panel,
    ):
        with pytest.raises(JudgeFailed) as caught:
            await panel.evaluate(about(LAST), 5)
    words = "DEPTH_EXCEEDED: depth 3 is the last (d0 > d1 > d2)"
    assert (caught.value.kind, caught.value.reason) == (FailureKind.ERROR, words)
    assert caught.value.about_submission


async def test_a_trace_reaches_the_judge_and_its_evidence_comes_back() -> None:
    evidence = gradient_pb2.Evidence(quote="sunny", span_id="c2d3e4f5")
    finding = gradient_pb2.Finding(
        criterion_id="C1", status=gradient_pb2.FINDING_STATUS_MET, evidence=[evidence]
    )
    gradient = gradient_pb2.GradientResult(score=0.9, confidence=0.9, findings=[finding])
    reply = judge_pb2.EvaluateResponse(gradient=gradient)
    about = submission(trace=SAMPLE, rubric=criteria("C1"))
    async with serving(always(reply)) as backend, judge_at(backend.target) as judge:
        decision = await decide(stage("remote"), judge, about=about)
    sent = backend.requests[0].submission.trace
    assert spans_from(sent.otlp_protobuf, Encoding.PROTOBUF) == SAMPLE
    seat = seats_of(decision)["remote"]
    assert seat.struck == 0
    assert decision.criteria[0].evidence == (Evidence("sunny", span_id="c2d3e4f5"),)
