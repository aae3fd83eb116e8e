"""Reflection: on for those who ask from the same host, off where it is not wanted."""

from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2 as pb
from grpc_reflection.v1alpha import reflection_pb2_grpc

from tests.service.refusal import refusal
from tests.service.running import CONSENSUS, HEALTH, JUDGE, Running, policy, request, rules, serving

POLICIES = rules(default=policy("conduct"))
METHOD = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def ask(server: Running, *questions: pb.ServerReflectionRequest) -> Any:
    """Return a reflection call with these questions."""
    return stub(server).ServerReflectionInfo(iter(questions))


def stub(server: Running) -> Any:
    make: Any = reflection_pb2_grpc.ServerReflectionStub
    return make(server.channel)


async def test_reflection_lists_every_service_on_loopback() -> None:
    async with serving(POLICIES) as server:
        (reply,) = [r async for r in ask(server, pb.ServerReflectionRequest(list_services=""))]
        names = {service.name for service in reply.list_services_response.service}
        assert {CONSENSUS, JUDGE, HEALTH} <= names


async def test_reflection_answers_several_questions_and_an_empty_one_in_one_stream() -> None:
    async with serving(POLICIES) as server:
        symbol = pb.ServerReflectionRequest(file_containing_symbol=CONSENSUS)
        file = pb.ServerReflectionRequest(file_by_filename="consensus/v1/judge.proto")
        replies = [r async for r in ask(server, symbol, pb.ServerReflectionRequest(), file)]
        assert replies[0].HasField("file_descriptor_response")
        assert replies[1].error_response.error_code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
        assert replies[2].HasField("file_descriptor_response")
        assert server.witness.codes == [("ServerReflectionInfo", "OK")]


async def test_reflection_is_unimplemented_where_it_is_off() -> None:
    async with serving(POLICIES, reflection=False) as server:
        call = ask(server, pb.ServerReflectionRequest(list_services=""))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [_ async for _ in call]
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_malformed_bytes_in_a_stream_of_requests_are_refused_like_any_others() -> None:
    async with serving(POLICIES) as server:
        call = server.channel.stream_stream(METHOD)(iter([b"\xff\xff"]))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [_ async for _ in call]
        seen = refusal(caught.value)
        assert (seen.code, seen.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
        assert server.witness.codes == [("ServerReflectionInfo", "INVALID_ARGUMENT")]
        assert (await server.consensus.Judge(request())).HasField("decision")


async def test_a_reader_that_leaves_reflection_early_is_counted_and_leaves_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving(POLICIES) as server:
        call = stub(server).ServerReflectionInfo()
        await call.write(pb.ServerReflectionRequest(list_services=""))
        assert (await call.read()).HasField("list_services_response")
        call.cancel()
        await server.witness.ended.reaches()
        ((method, code),) = server.witness.codes  # a cancelled stream may look like a finished one
        assert (method, code in ("OK", "CANCELLED")) == ("ServerReflectionInfo", True)
    assert [r.message for r in caplog.records if r.levelname in ("WARNING", "ERROR")] == []
