"""Every row of the error table, provoked through the wire."""

import asyncio
from collections.abc import Awaitable, Callable

import grpc
import pytest

from consensus.domain import errors
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.service.status import DOMAIN, TABLE
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import judge_pb2
from tests.service.deriving_judge import Model, seat
from tests.service.refusal import DETAILS_KEY, Refusal, refused
from tests.service.running import policy, request, rules, serving, submission
from tests.service.scripted_judge import Hanging, Held, answers, backend, gradient, refuses

EMBEDDED = policy("conduct")


async def invalid_request() -> Refusal:
    async with serving(rules(default=EMBEDDED)) as server:
        return await refused(server.consensus.Judge(request(submission=None)))


async def policy_disabled() -> Refusal:
    async with serving(rules(default=EMBEDDED, off=EMBEDDED | {"enabled": False})) as server:
        return await refused(server.consensus.Judge(request("off")))


async def depth_exceeded() -> Refusal:
    above = judge_pb2.Hierarchy(parent_decision_id="d", depth=4, path=list("abcd"))
    async with serving(rules(default=EMBEDDED)) as server:
        asked = judge_pb2.EvaluateRequest(submission=submission(), hierarchy=above)
        return await refused(server.judge.Evaluate(asked))


async def request_id_reused() -> Refusal:
    async with serving(rules(default=EMBEDDED)) as server:
        await server.consensus.Judge(request(request_id="one"))
        other = request(request_id="one", submission=submission(candidate="Lyon."))
        return await refused(server.consensus.Judge(other))


async def request_in_progress() -> Refusal:
    held = Held()
    async with (
        backend(held=held) as judges,
        serving(rules(judges.target, default=policy("held"))) as server,
    ):
        first = asyncio.ensure_future(server.consensus.Judge(request(request_id="one")))
        await held.asked.reaches()
        second = await refused(server.consensus.Judge(request(request_id="one")))
        held.release.set()
        await first
        return second


async def overloaded() -> Refusal:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging")), max_inflight=1) as server,
    ):
        first = server.consensus.Judge(request())
        await hanging.asked.reaches()
        second = await refused(server.consensus.Judge(request()))
        first.cancel()
        await hanging.cancelled.reaches()
        return second


async def draining() -> Refusal:
    async with serving(rules(default=EMBEDDED)) as server:
        server.app.admission.draining = True
        return await refused(server.consensus.Judge(request()))


async def budget_spent() -> Refusal:
    async with serving(rules(default=EMBEDDED), max_deadline_seconds=0.001) as server:
        return await refused(server.consensus.Judge(request(), timeout=60))


async def response_too_large() -> Refusal:
    names = [f"judge{index}" for index in range(16)]
    wordy = dict.fromkeys(names, answers(gradient(reasoning="x" * 8_000)))
    async with (
        backend(**wordy) as judges,
        serving(rules(judges.target, default=policy(*names)), max_message_bytes=1 << 16) as server,
    ):
        return await refused(server.consensus.Judge(request()))


async def all_judges_unavailable() -> Refusal:
    down = refuses(grpc.StatusCode.UNAVAILABLE)
    strict = policy("one", "two", on_no_quorum="fail")
    async with (
        backend(one=down, two=down) as judges,
        serving(rules(judges.target, default=strict)) as server,
    ):
        return await refused(server.consensus.Judge(request()))


async def criteria_not_derived() -> Refusal:
    async with serving(rules(default=policy("model"))) as server:
        seat(server, Model(derived=JudgeFailed(FailureKind.REFUSED, "the model declined")))
        derive = pb.DeriveCriteria()
        return await refused(server.consensus.Judge(request(derive_criteria=derive)))


async def spend_limit_reached() -> Refusal:
    async with serving(rules(default=policy("model"))) as server:
        seat(server, Model(), per_hour_usd=0.011)
        await server.consensus.Judge(request())
        return await refused(server.consensus.Judge(request()))


PROVOKED: dict[type[errors.RequestError], Callable[[], Awaitable[Refusal]]] = {
    errors.InvalidRequest: invalid_request,
    errors.PolicyDisabled: policy_disabled,
    errors.DepthExceeded: depth_exceeded,
    errors.RequestIdReused: request_id_reused,
    errors.RequestInProgress: request_in_progress,
    errors.Overloaded: overloaded,
    errors.Draining: draining,
    errors.BudgetSpent: budget_spent,
    errors.ResponseTooLarge: response_too_large,
    errors.AllJudgesUnavailable: all_judges_unavailable,
    errors.CriteriaNotDerived: criteria_not_derived,
    errors.SpendLimitReached: spend_limit_reached,
}


def test_every_request_error_has_a_row_and_every_row_is_provoked_here() -> None:
    assert set(errors.RequestError.__subclasses__()) == set(TABLE) == set(PROVOKED)


def test_reasons_are_stable_names_and_no_two_errors_share_one() -> None:
    reasons = [error.REASON for error in TABLE]
    assert len(set(reasons)) == len(reasons)
    assert all(r == r.upper() and r.replace("_", "").isalpha() and len(r) <= 63 for r in reasons)
    assert all(error.REMEDY for error in TABLE)


@pytest.mark.parametrize("error", PROVOKED, ids=lambda error: error.__name__)
async def test_a_refusal_is_what_its_row_says(error: type[errors.RequestError]) -> None:
    row, seen = TABLE[error], await PROVOKED[error]()
    assert seen.code is row.code
    assert (seen.reason, seen.info.domain) == (error.REASON, DOMAIN)
    assert seen.message
    assert all(value in seen.message for value in dynamic(seen))
    assert ", ".join(seen.names) == row.detail
    assert len(seen.trailers[DETAILS_KEY]) <= 3_072
    assert ("RetryInfo" in seen.names) is bool(row.retry_seconds)
    if row.retry_seconds:
        assert seen.detail("RetryInfo").retry_delay.ToTimedelta().total_seconds() == (
            row.retry_seconds
        )
    for name in {"PreconditionFailure", "QuotaFailure"}.intersection(seen.names):
        (violation,) = seen.detail(name).violations
        assert violation.subject in (list(seen.info.metadata.values()) or [""])
        assert violation.description == seen.message
    unavailable = row.code is grpc.StatusCode.UNAVAILABLE
    expected = str(round(row.retry_seconds * 1_000)) if unavailable else None
    assert seen.trailers.get("grpc-retry-pushback-ms") == expected


def dynamic(seen: Refusal) -> list[str]:
    """Return the values of ErrorInfo that the message must mention too."""
    return [value for key, value in seen.info.metadata.items() if key != "violation_count"]
