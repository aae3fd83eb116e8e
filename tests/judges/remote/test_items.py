"""One item of a batch: what it costs its neighbours that it is bad, and how batches fail whole."""

import asyncio
import math
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind, GradientResult, Usage
from consensus.judges.remote import framing
from consensus.judges.remote.failures import MAX_REPLY_BYTES
from consensus.v1 import judge_pb2
from tests.judges.remote.desk import Asker, Batch, Call, Refused, Results, asker, desk, verdict

ERRORS = FailureKind.ERROR
UNREADABLE = FailureKind.UNREADABLE
CODES = {code.value[0]: code.name for code in grpc.StatusCode if code is not grpc.StatusCode.OK}
KINDS = {4: FailureKind.TIMEOUT, 8: FailureKind.OVERLOADED}
Outcome = str | tuple[FailureKind, str]
"""The item of an answer, or kind and reason of a failure."""


async def outcomes(judge: Asker, items: str = "abc") -> list[Outcome]:
    """Ask about items in one turn, and return what each got."""
    return [_outcome(one) for one in await _asked(judge, items)]


async def _asked(judge: Asker, items: str) -> list[Any]:
    return await asyncio.gather(*judge.ask_each(items), return_exceptions=True)


def _outcome(result: object) -> Outcome:
    if isinstance(result, JudgeFailed):
        assert result.__context__ is None or result.__suppress_context__
        return result.kind, result.reason
    assert isinstance(result, GradientResult)
    return result.reasoning


def with_error(code: int, reason: str = "") -> Batch:
    """Answer all but item `b`, which gets an error whose message must not be repeated."""

    def reply(call: Call) -> Results:
        error = {"error": {"code": code, "reason": reason, "message": "a secret"}}
        return Results(
            results=[error if item == "b" else {"response": verdict(item)} for item in call.items]
        )

    return reply


def with_bytes(for_b: bytes) -> Batch:
    """Answer all but item `b`, whose result is these bytes."""

    def reply(call: Call) -> bytes:
        results = [
            for_b
            if item == "b"
            else judge_pb2.EvaluateBatchResult(response=verdict(item)).SerializeToString()
            for item in call.items
        ]
        return framing.batch_of((result, b"") for result in results)

    return reply


def refusing(code: grpc.StatusCode, *trailers: tuple[str, str | bytes]) -> Batch:
    """Refuse every batch."""

    def refuse(call: Call) -> Results:
        raise Refused(code, *trailers)

    return refuse


@pytest.mark.parametrize("code", CODES)
async def test_an_items_error_fails_its_seat_as_the_status_of_a_call_would(code: int) -> None:
    async with desk(with_error(code), held=False) as backend, asker(backend.target) as judge:
        got = await _asked(judge, "abc")
    kind = KINDS.get(code, ERRORS)
    words = f"the backend answered {CODES[code]}"
    if kind is FailureKind.TIMEOUT:
        words = "the backend did not answer in time"
    assert [_outcome(one) for one in got] == ["a", (kind, words), "c"]
    assert got[1].passing == (code in (8, 14))
    assert len(backend.calls) == 1


@pytest.mark.parametrize(
    ("batch", "reason"),
    [
        (with_error(0), "an error without a status"),
        (with_error(99), "an error without a status"),
        (with_error(-1), "an error without a status"),
        (with_bytes(b""), "the reply is not the contract's"),
        (with_bytes(b"\xff\xff"), "the reply is not the contract's"),
        (with_bytes(b"\x0a\x07\x0a\x05\x1a\x03\xff\xff\xff"), "the reply is not the contract's"),
    ],
)
async def test_a_result_that_is_not_the_contracts_costs_one_seat(batch: Batch, reason: str) -> None:
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        assert await outcomes(judge) == ["a", (UNREADABLE, reason), "c"]


async def test_an_item_that_is_nested_too_deep_says_so() -> None:
    batch = with_error(9, "DEPTH_EXCEEDED")
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        words = "DEPTH_EXCEEDED: depth 3 is the last ()"
        assert await outcomes(judge) == ["a", (ERRORS, words), "c"]


async def test_an_item_beyond_the_backends_own_spend_limit_says_so() -> None:
    batch = with_error(8, "SPEND_LIMIT_REACHED")
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        spent = (FailureKind.SPEND_LIMIT, "the backend's own spend limit is reached")
        assert await outcomes(judge) == ["a", spent, "c"]


async def test_an_answer_that_its_neighbours_crowd_out_is_asked_for_alone() -> None:
    batch = with_error(8, "RESPONSE_TOO_LARGE")
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        assert await outcomes(judge) == ["a", "b", "c"]
        assert [judge.attempts(item) for item in "abc"] == [1, 2, 1]
    assert backend.travelled == [["a", "b", "c"], ["b"]]


@pytest.mark.parametrize("more", [-1, 1, -3])
async def test_another_number_of_results_than_items_is_unreadable(more: int) -> None:
    def reply(call: Call) -> Results:
        return Results(results=[{"response": verdict("a")}] * (len(call.items) + more))

    async with desk(reply, held=False) as backend, asker(backend.target) as judge:
        words = f"{3 + more} results for a batch of 3"
        assert await outcomes(judge) == [(UNREADABLE, words)] * 3
    assert len(backend.calls) == 1


@pytest.mark.parametrize("garbage", [b"\xff", b"nonsense", b"\x0a", b"\x0a\x7f", b"\x0a" * 9])
async def test_a_batch_that_is_not_the_contracts_is_unreadable(garbage: bytes) -> None:
    async with desk(lambda call: garbage, held=False) as backend, asker(backend.target) as judge:
        words = "the reply is not the contract's"
        assert await outcomes(judge) == [(UNREADABLE, words)] * 3


async def test_a_backend_without_batches_is_asked_one_by_one_from_then_on() -> None:
    async with desk(None, held=False) as backend:
        async with asker(backend.target) as judge:
            assert await outcomes(judge) == ["a", "b", "c"]
            assert [judge.attempts(item) for item in "abc"] == [2, 2, 2]
            assert await outcomes(judge, "defg") == ["d", "e", "f", "g"]
            assert [judge.attempts(item) for item in "defg"] == [1, 1, 1, 1]
        async with asker(backend.target) as reloaded:
            assert await outcomes(reloaded) == ["a", "b", "c"]
            assert reloaded.attempts("a") == 2


async def test_waiting_items_of_a_backend_without_batches_wait_no_longer() -> None:
    async with desk(None) as backend, asker(backend.target, max_inflight=1) as judge:
        first = asyncio.create_task(outcomes(judge, "abc"))
        await asyncio.sleep(0)
        second = asyncio.create_task(outcomes(judge, "de"))
        await backend.arrived(5)
        for call in backend.calls:
            call.go.set()
        assert await first + await second == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    "code",
    [
        *("NOT_FOUND", "PERMISSION_DENIED", "FAILED_PRECONDITION"),
        *("INVALID_ARGUMENT", "OUT_OF_RANGE", "INTERNAL", "UNKNOWN"),
    ],
)
async def test_items_of_a_batch_that_one_of_them_may_have_spoilt_are_asked_one_by_one(
    code: str,
) -> None:
    batch = refusing(grpc.StatusCode[code])
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        assert await outcomes(judge) == ["a", "b", "c"]
        assert [judge.attempts(item) for item in "abc"] == [2, 2, 2]
    assert [call.batched for call in backend.calls] == [True, False, False, False]


async def test_a_reply_above_our_limit_is_asked_for_in_parts() -> None:
    def reply(call: Call) -> bytes:
        return b"x" * (MAX_REPLY_BYTES + 1)

    async with desk(reply, held=False) as backend, asker(backend.target) as judge:
        assert await outcomes(judge) == ["a", "b", "c"]


async def test_an_item_that_nobody_waits_for_is_not_asked_again() -> None:
    async with (
        desk(refusing(grpc.StatusCode.UNKNOWN)) as backend,
        asker(backend.target) as judge,
    ):
        tasks = judge.ask_each("abc")
        await backend.arrived(1)
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
        backend.calls[0].go.set()
        await backend.arrived(3)
        for call in backend.calls:
            call.go.set()
        await asyncio.gather(tasks[0], tasks[2])
    assert sorted(backend.travelled[1:]) == [["a"], ["c"]]


def retry_info(seconds: float) -> tuple[str, bytes]:
    """Return the trailer that asks to wait."""
    delay = duration_pb2.Duration(seconds=int(seconds), nanos=round(seconds % 1 * 1e9))
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return "grpc-status-details-bin", status_pb2.Status(details=[detail]).SerializeToString()


PASSING: dict[str, tuple[tuple[tuple[str, str | bytes], ...], bool, float | None]] = {
    "nothing said": ((), True, None),
    "pushback": ((("grpc-retry-pushback-ms", "1500"),), True, 1.5),
    "pushback that forbids": ((("grpc-retry-pushback-ms", "-1"),), False, None),
    "pushback that is no number": ((("grpc-retry-pushback-ms", "soon"),), False, None),
    "retry info": ((retry_info(2.5),), True, 2.5),
    "details that are not the contract's": ((("grpc-status-details-bin", b"\xff"),), True, None),
    "both": ((retry_info(2.5), ("grpc-retry-pushback-ms", "100")), True, 0.1),
}


@pytest.mark.parametrize("code", ["UNAVAILABLE", "RESOURCE_EXHAUSTED"])
@pytest.mark.parametrize("case", PASSING)
async def test_an_overloaded_backend_is_not_asked_again_and_says_when_to_come_back(
    case: str, code: str
) -> None:
    trailers, passing, seconds = PASSING[case]
    batch = refusing(grpc.StatusCode[code], *trailers)
    async with desk(batch, held=False) as backend, asker(backend.target) as judge:
        failures = await _asked(judge, "abc")
    kind = ERRORS if code == "UNAVAILABLE" else FailureKind.OVERLOADED
    assert {_outcome(one) for one in failures} == {(kind, f"the backend answered {code}")}
    assert {(one.passing, one.retry_after_seconds) for one in failures} == {(passing, seconds)}
    assert len({id(one) for one in failures}) == 3
    assert len(backend.calls) == 1


async def test_usage_and_calls_stand_in_the_ledger_of_the_item_that_took_them() -> None:
    def reply(call: Call) -> Results:
        used = {"input_tokens": 100, "output_tokens": 7, "cost_usd": 0.25}
        answers = [{"gradient": verdict(item).gradient} for item in call.items]
        answers[1]["usage"] = used  # type: ignore[assignment]
        return Results(results=[{"response": answer} for answer in answers])

    async with desk(reply, held=False) as backend, asker(backend.target) as judge:
        assert await outcomes(judge, "ab") == ["a", "b"]
        ledgers = [judge.evaluations[item].ledger("remote") for item in "ab"]
    assert [ledger.attempts for ledger in ledgers] == [1, 1]
    used = Usage(input_tokens=100, output_tokens=7, cost_usd=0.25)
    assert [ledger.usage for ledger in ledgers] == [None, used]


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": -1},
        {"output_tokens": (1 << 40) + 1},
        {"cost_usd": -0.01},
        {"cost_usd": 1.1e9},
        {"cost_usd": math.inf},
        {"cost_usd": math.nan},
    ],
    ids=str,
)
async def test_usage_that_cannot_be_makes_the_reply_unreadable(usage: dict[str, Any]) -> None:
    def reply(call: Call) -> Results:
        fields: dict[str, Any] = {"gradient": verdict("a").gradient, "usage": usage}
        return Results(results=[{"response": fields}] * len(call.items))

    async with desk(reply, held=False) as backend, asker(backend.target) as judge:
        words = "the reply's usage is below 0, too large or not finite"
        assert await outcomes(judge, "ab") == [(UNREADABLE, words)] * 2
