"""Every way in which a model server does not reply, and what it costs the seat."""

import json

import pytest
from consensus_client.testing import (
    LlmAnswer,
    contradictory,
    delayed,
    dripping,
    error_in_200,
    garbage,
    half,
    hang,
    http_error,
    huge,
    llm_reply,
)
from consensus_client.testing.llm_answers import HttpAnswer

from consensus.domain.gradient import FailureKind
from tests.judges.llm_http.asking import KINDS, SECRET, failure_of, reply_of

LIMITED, OVERLOADED = FailureKind.RATE_LIMITED, FailureKind.OVERLOADED
TIMEOUT, ERROR = FailureKind.TIMEOUT, FailureKind.ERROR
FILTERED, UNREADABLE = FailureKind.FILTERED, FailureKind.UNREADABLE
UPSTREAM_LIMIT = json.dumps({"error": {"code": 429, "message": SECRET}})
UPSTREAM_FILTER = json.dumps({"error": {"code": "content_filter"}})


def azure_filter() -> HttpAnswer:
    error = {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}
    return HttpAnswer(400, json.dumps({"error": error}).encode())


def finished(reason: str, error: object = None) -> HttpAnswer:
    choice = {"message": {"content": None}, "finish_reason": reason, "error": error}
    return HttpAnswer(200, json.dumps({"choices": [choice]}).encode())


@pytest.mark.parametrize(
    ("answer", "kind", "passing", "words"),
    [
        (http_error(400), ERROR, False, "does not accept the request"),
        (http_error(400, "context_length_exceeded"), ERROR, False, "longer than it takes"),
        (http_error(401), ERROR, False, "key is not accepted"),
        (http_error(402), LIMITED, False, "quota is spent"),
        (http_error(403), ERROR, False, "key is not accepted"),
        (http_error(404), ERROR, False, "no such model"),
        (http_error(408), TIMEOUT, True, "took too long"),
        (http_error(413), ERROR, False, "longer than it takes"),
        (http_error(422), ERROR, False, "does not accept the request"),
        (http_error(429), LIMITED, True, "too many requests"),
        (http_error(429, "insufficient_quota"), LIMITED, False, "quota is spent"),
        (http_error(429, "billing_hard_limit_reached"), LIMITED, False, "quota is spent"),
        (http_error(429, "spend_limit_reached"), LIMITED, False, "quota is spent"),
        (http_error(403, "account_suspended"), ERROR, False, "key is not accepted"),
        (http_error(500), ERROR, True, "a fault of the backend"),
        (http_error(502), ERROR, True, "a fault of the backend"),
        (http_error(503), OVERLOADED, True, "overloaded"),
        (http_error(504), TIMEOUT, True, "took too long"),
        (http_error(529, "overloaded_error"), OVERLOADED, True, "overloaded"),
        (azure_filter(), FILTERED, False, "content filter"),
        (http_error(307, headers={"Location": "http://127.0.0.1:1/"}), ERROR, False, "elsewhere"),
        (error_in_200(429), LIMITED, True, "too many requests"),
        (error_in_200("rate_limit_exceeded"), LIMITED, True, "too many requests"),
        (error_in_200(502, UPSTREAM_LIMIT), LIMITED, True, "too many requests"),
        (error_in_200(502, UPSTREAM_FILTER), FILTERED, False, "content filter"),
        (error_in_200(502, "not JSON"), ERROR, True, "a fault of the backend"),
        (error_in_200("what?"), ERROR, True, "a fault of the backend"),
        (error_in_200("overloaded_error"), OVERLOADED, True, "overloaded"),
        (error_in_200(401), ERROR, False, "key is not accepted"),
        (error_in_200("authentication_error"), ERROR, False, "key is not accepted"),
        (error_in_200("invalid_api_key"), ERROR, False, "key is not accepted"),
        (error_in_200("permission_error"), ERROR, False, "key is not accepted"),
        (error_in_200("not_found_error"), ERROR, False, "no such model"),
        (error_in_200("model_not_found"), ERROR, False, "no such model"),
        (error_in_200("invalid_request_error"), ERROR, False, "does not accept the request"),
        (error_in_200("rate_limit_error"), LIMITED, True, "too many requests"),
        (error_in_200("too_many_requests"), LIMITED, True, "too many requests"),
        (error_in_200("resource_exhausted"), LIMITED, True, "too many requests"),
        (error_in_200("unavailable"), OVERLOADED, True, "overloaded"),
        (error_in_200("timeout"), TIMEOUT, True, "took too long"),
        (error_in_200("timeout_error"), TIMEOUT, True, "took too long"),
        (error_in_200("deadline_exceeded"), TIMEOUT, True, "took too long"),
        (finished("error"), ERROR, True, "a fault of the backend"),
        (finished("error", {"code": 503}), OVERLOADED, True, "overloaded"),
        (finished("insufficient_system_resource"), OVERLOADED, True, "overloaded"),
        (finished("who knows"), UNREADABLE, False, "finished"),
        (HttpAnswer(200, b'{"choices": null}'), UNREADABLE, False, "no choice"),
        (HttpAnswer(200, b'{"choices": []}'), UNREADABLE, False, "no choice"),
        (HttpAnswer(200, b"[" * 100_000), UNREADABLE, False, "not JSON"),
        (HttpAnswer(200, b"[1]"), UNREADABLE, False, "not JSON"),
        (HttpAnswer(200, b""), UNREADABLE, False, "not JSON"),
        (garbage(), UNREADABLE, False, "not JSON"),
        (huge(), UNREADABLE, False, "larger than 2097152 bytes"),
        (half(), ERROR, True, "broke off"),
        (half(share=0), ERROR, True, "broke off"),
    ],
)
async def test_an_answer_that_is_no_reply_fails_by_its_kind(
    answer: LlmAnswer, kind: FailureKind, passing: bool, words: str
) -> None:
    failed = await failure_of(answer)
    assert (failed.kind, failed.passing) == (kind, passing)
    assert words in failed.reason
    assert failed.about_submission is ("longer than it takes" in words)


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
async def test_what_a_reply_has_cost_that_ended_in_an_error_is_not_known(reason: str) -> None:
    assert (await failure_of(finished(reason))).cut_off


@pytest.mark.parametrize("answer", [hang(), delayed(llm_reply(), 30), dripping(30)])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_call_takes_no_longer_than_it_may(answer: LlmAnswer, kind: str) -> None:
    failed = await failure_of(answer, seconds=0.05, kind=kind)
    assert (failed.kind, failed.status) == (TIMEOUT, 0)


@pytest.mark.parametrize("seconds", [0, -1])
async def test_without_time_nobody_is_asked(seconds: float) -> None:
    assert (await failure_of(llm_reply(), seconds=seconds)).kind is TIMEOUT


async def test_a_reply_in_drops_is_a_reply() -> None:
    assert (await reply_of(dripping(0.02, llm_reply("slow")))).text == "slow"


async def test_a_reply_of_nearly_two_megabytes_is_read() -> None:
    size = (2 << 20) - 1_000
    assert len((await reply_of(huge(size))).text) == size


async def test_of_several_calls_of_the_tool_none_is_preferred() -> None:
    both = contradictory('{"score": 0}', '{"score": 1}')
    with pytest.raises(ValueError, match="Extra data"):
        json.loads((await reply_of(both)).text)


async def test_where_nobody_listens_the_call_fails_at_once() -> None:
    failed = await failure_of(llm_reply(), base_url="http://127.0.0.1:1/v1")
    assert (failed.kind, failed.passing, failed.status) == (ERROR, True, 0)
    assert "cannot be reached" in failed.reason
