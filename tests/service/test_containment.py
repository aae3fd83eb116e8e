"""What nobody foresaw is answered INTERNAL, and its text goes nowhere: not out, not into a log."""

import asyncio
import io
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import grpc
import pytest

from consensus.domain.ports import Judge
from consensus.service.rulebook import Rulebook
from consensus.service.status import DOMAIN, INTERNAL_MESSAGE
from consensus.telemetry.logs import structured_logs
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import judge_pb2
from tests.service.refusal import events, refused
from tests.service.running import Running, policy, request, rules, serving, submission

SECRET = "sk-boom-secret"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
METADATA = (("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01"),)

EVALUATE = judge_pb2.EvaluateRequest(submission=submission())
CALLS: dict[str, Callable[[Running], Awaitable[Any]]] = {
    "Judge": lambda server: server.consensus.Judge(request(), metadata=METADATA),
    "Judge with an id": lambda server: server.consensus.Judge(
        request(request_id="one"), metadata=METADATA
    ),
    "StreamJudge": lambda server: events(
        server.consensus.StreamJudge(pb.StreamJudgeRequest(request=request()), metadata=METADATA)
    ),
    "Evaluate": lambda server: server.judge.Evaluate(EVALUATE, metadata=METADATA),
}
BATCHES: dict[str, Callable[[Running], Awaitable[Any]]] = {
    "BatchJudge": lambda server: server.consensus.BatchJudge(
        pb.BatchJudgeRequest(requests=[request(), request("sound"), request()]), metadata=METADATA
    ),
    "EvaluateBatch": lambda server: server.judge.EvaluateBatch(
        judge_pb2.EvaluateBatchRequest(
            requests=[EVALUATE, judge_pb2.EvaluateRequest(submission=submission(), judge="sound")]
        ),
        metadata=METADATA,
    ),
}
ERRORS: dict[str, Callable[[], BaseException]] = {
    "ValueError": lambda: ValueError(SECRET),
    "ExceptionGroup": lambda: ExceptionGroup(SECRET, [ValueError(SECRET)]),
    "RpcError": lambda: grpc.RpcError(SECRET),
    "CancelledError": lambda: asyncio.CancelledError(SECRET),
}


class Raising(dict[str, Judge]):
    """A bench on which one judge cannot be found, for a reason that nobody foresaw."""

    def __init__(self, judges: Mapping[str, Judge], error: BaseException) -> None:
        super().__init__(judges)
        self.error = error

    def __getitem__(self, name: str) -> Judge:
        if name != "conduct":
            return super().__getitem__(name)
        raise self.error from RuntimeError(SECRET)


def sabotage(server: Running, error: BaseException) -> None:
    """Let every policy that seats `conduct` fail."""
    book = server.app.rules.current
    server.app.rules.current = Rulebook(book.policies, Raising(book.judges, error), book.prover)


@pytest.fixture(autouse=True)
def keep_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back at the end what structured logs turn off for the whole process."""
    for name in ("logThreads", "logProcesses", "logMultiprocessing", "_srcfile"):
        monkeypatch.setattr(logging, name, getattr(logging, name))


POLICIES = rules(default=policy("conduct"), sound=policy("coverage"))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", CALLS)
async def test_an_unforeseen_error_is_answered_internal_and_tells_nothing(
    call: str, error: str
) -> None:
    written = io.StringIO()
    with structured_logs("debug", lambda: None, written):
        async with serving(POLICIES) as server:
            sabotage(server, ERRORS[error]())
            seen = await refused(CALLS[call](server))
            assert seen.code is grpc.StatusCode.INTERNAL
            assert (seen.reason, seen.info.domain) == ("INTERNAL", DOMAIN)
            assert seen.message == INTERNAL_MESSAGE
            assert SECRET not in str(seen)
            assert server.witness.codes == [(call.split()[0], "INTERNAL")]
            assert (await server.consensus.Judge(request("sound"))).HasField("decision")
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    (line,) = [line for line in lines if line["level"] == "ERROR"]
    assert (line["error"], line["trace_id"]) == (error, TRACE)
    assert line["method"] == call.split()[0]
    assert line["place"].startswith("Raising.__getitem__:")
    assert SECRET not in written.getvalue()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", BATCHES)
async def test_an_unforeseen_error_costs_its_own_item_of_a_batch(call: str, error: str) -> None:
    written = io.StringIO()
    with structured_logs("debug", lambda: None, written):
        async with serving(POLICIES) as server:
            sabotage(server, ERRORS[error]())
            reply = await BATCHES[call](server)
    first, second, *rest = reply.results
    assert (first.error.code, first.error.reason) == (13, "INTERNAL")
    assert first.error.message == INTERNAL_MESSAGE
    assert not second.HasField("error")
    assert all(item.error.reason == "INTERNAL" for item in rest)
    assert SECRET not in written.getvalue()
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    told = [line for line in lines if line["level"] == "ERROR"]
    assert len(told) == len([item for item in reply.results if item.HasField("error")])
    assert {(line["error"], line["trace_id"]) for line in told} == {(error, TRACE)}
    assert all(line["place"].startswith("Raising.__getitem__:") for line in told)


async def test_a_failure_is_not_remembered() -> None:
    async with serving(POLICIES) as server:
        book = server.app.rules.current
        sabotage(server, ValueError(SECRET))
        seen = await refused(server.consensus.Judge(request(request_id="one")))
        assert seen.reason == "INTERNAL"
        server.app.rules.current = book
        assert (await server.consensus.Judge(request(request_id="one"))).HasField("decision")
