"""A caller that goes away: the work stops, everything is given back, and it is counted."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, judge_pb2, judge_pb2_grpc
from tests.service.refusal import refused
from tests.service.running import CONSENSUS, JUDGE, Running, policy, request, rules, serving
from tests.service.running import submission as sound
from tests.service.scripted_judge import Hanging, answers, backend, gradient

EVALUATE = judge_pb2.EvaluateRequest(submission=sound())
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "Judge": lambda consensus, judge: consensus.Judge(request()),
    "StreamJudge": lambda consensus, judge: consensus.StreamJudge(
        pb.StreamJudgeRequest(request=request())
    ),
    "BatchJudge": lambda consensus, judge: consensus.BatchJudge(
        pb.BatchJudgeRequest(requests=[request()] * 3)
    ),
    "Evaluate": lambda consensus, judge: judge.Evaluate(EVALUATE),
    "EvaluateBatch": lambda consensus, judge: judge.EvaluateBatch(
        judge_pb2.EvaluateBatchRequest(requests=[EVALUATE] * 3)
    ),
}


async def reading(call: Any) -> None:
    """Read a call to its end, whatever that is."""
    try:
        if hasattr(call, "read"):
            async for _ in call:
                pass
        else:
            await call
    except (grpc.aio.AioRpcError, asyncio.CancelledError):
        pass


@pytest.mark.parametrize("method", CALLS)
async def test_a_caller_that_cancels_stops_the_judges_and_counts_as_canceled(method: str) -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging"))) as server,
    ):
        asked = 3 if "Batch" in method else 1
        call = CALLS[method](server.consensus, server.judge)
        reader = asyncio.create_task(reading(call))
        await hanging.asked.reaches(asked)
        assert server.value("consensus_inflight") == 1
        assert server.value("consensus_judge_inflight", judge="hanging") == asked
        call.cancel()
        await hanging.cancelled.reaches(asked)
        await server.app.admission.idle()
        await reader
        service = JUDGE if method.startswith("Evaluate") else CONSENSUS
        kind = "server_stream" if method == "StreamJudge" else "unary"
        assert server.witness.codes == [(method, "CANCELLED")]
        assert server.value("consensus_inflight") == 0
        assert server.value("consensus_judge_inflight", judge="hanging") == 0
        labels = {"grpc_type": kind, "grpc_service": service, "grpc_method": method}
        assert server.value("grpc_server_handled_total", grpc_code="Canceled", **labels) == 1
        outcome = {"judge": "hanging", "outcome": "cancelled"}
        assert server.value("consensus_judge_calls_total", **outcome) == asked


async def test_a_request_id_is_free_again_once_its_caller_has_gone() -> None:
    hanging = Hanging()
    async with (
        backend(first=hanging) as judges,
        serving(rules(judges.target, default=policy("first"))) as server,
    ):
        call = server.consensus.Judge(request(request_id="one"))
        await hanging.asked.reaches()
        seen = await refused(server.consensus.Judge(request(request_id="one")))
        assert seen.reason == "REQUEST_IN_PROGRESS"
        call.cancel()
        await hanging.cancelled.reaches()
        await server.app.admission.idle()
        judges.scripts["first"] = answers(gradient())
        assert (await server.consensus.Judge(request(request_id="one"))).HasField("decision")


STORM = 300
HARMLESS = "Exception not handled by _handle_exceptions"
"""What grpc.aio says of a call that is cancelled before its first step."""
CONNECTIONS = 3


async def storm(server: Running, dice: random.Random) -> None:
    """Make calls over several connections and cancel nearly all of them at random moments."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(server.address, options) for _ in range(CONNECTIONS)]
    stubs = [
        (consensus_pb2_grpc.ConsensusServiceStub(c), judge_pb2_grpc.JudgeServiceStub(c))
        for c in channels
    ]

    async def caller(method: str, turns: int) -> None:
        call = CALLS[method](*dice.choice(stubs))
        reader = asyncio.create_task(reading(call))
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        await reader

    methods = list(CALLS)
    turns = [dice.choice((0, dice.randrange(100), dice.randrange(5_000))) for _ in range(STORM)]
    callers = (caller(methods[i % len(methods)], turns[i]) for i in range(STORM))
    await asyncio.gather(*callers)
    for channel in channels:
        await channel.close()


@pytest.mark.parametrize("seed", range(2))
async def test_a_storm_of_cancellations_leaves_nothing_behind(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    hanging = Hanging()
    quick = answers(gradient())
    async with (
        backend(hanging=hanging, quick=quick) as judges,
        serving(rules(judges.target, default=policy("quick", "hanging", "conduct"))) as server,
    ):
        await storm(server, random.Random(seed))  # noqa: S311 - repeatable, not secret
        await server.app.admission.idle()
        assert server.value("consensus_inflight") == 0
        for judge in ("hanging", "quick", "conduct"):
            assert server.value("consensus_judge_inflight", judge=judge) == 0
        assert {code for _, code in server.witness.codes} <= {"CANCELLED"}
        assert total(server, "grpc_server_started") == total(server, "grpc_server_handled")
        await hanging.cancelled.reaches(hanging.asked.count)
        judges.scripts["hanging"] = quick
        assert (await server.consensus.Judge(request())).HasField("decision")
    assert [message for message in caplog.messages if HARMLESS not in message] == []


def total(server: Running, name: str) -> float:
    """Return the sum of a counter over all its labels."""
    (family,) = [f for f in server.witness.registry.collect() if f.name == name]
    return sum(sample.value for sample in family.samples if sample.name.endswith("_total"))
