"""Idempotency through the wire: the same request gets the same decision, and nobody asks twice."""

import asyncio

import grpc

from consensus.v1 import consensus_pb2 as pb
from tests.service.refusal import events, refused
from tests.service.running import policy, request, rules, serving, submission
from tests.service.scripted_judge import Held, answers, backend, gradient, refuses

QUICK = answers(gradient())


async def test_the_same_request_gets_the_same_decision_and_no_judge_is_asked_again() -> None:
    async with (
        backend(quick=QUICK) as judges,
        serving(rules(judges.target, default=policy("quick"))) as server,
    ):
        first = await server.consensus.Judge(request(request_id="one"))
        again = [await server.consensus.Judge(request(request_id="one")) for _ in range(3)]
        assert all(reply == first for reply in again)
        assert len(judges.requests) == 1
        assert server.value("consensus_idempotent_replays_total") == 3
        assert server.value("consensus_decisions_total", policy="default", verdict="accept") == 1


async def test_without_an_id_every_request_is_judged_anew() -> None:
    async with (
        backend(quick=QUICK) as judges,
        serving(rules(judges.target, default=policy("quick"))) as server,
    ):
        replies = [await server.consensus.Judge(request()) for _ in range(2)]
        assert len({reply.decision.decision_id for reply in replies}) == 2
        assert len(judges.requests) == 2


async def test_other_content_under_the_same_id_is_refused_whatever_differs() -> None:
    async with (
        backend(quick=QUICK) as judges,
        serving(rules(judges.target, default=policy("quick"), other=policy("quick"))) as server,
    ):
        await server.consensus.Judge(request(request_id="one"))
        different = [
            request(request_id="one", submission=submission(candidate="Paris!")),
            request("other", request_id="one"),
            request(request_id="one", overrides=pb.Overrides(min_score=0.7)),
        ]
        for other in different:
            seen = await refused(server.consensus.Judge(other))
            assert (seen.code, seen.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "REQUEST_ID_REUSED",
            )
            assert seen.info.metadata["request_id"] == "one"
        assert len(judges.requests) == 1


async def test_the_order_of_map_entries_is_not_content() -> None:
    entries = {f"key{index}": "text" for index in range(20)}
    async with serving(rules(default=policy("conduct"))) as server:
        replies = []
        for keys in (list(entries), list(reversed(entries))):
            asked = request(request_id="one")
            for key in keys:
                asked.submission.outputs[key].string_value = entries[key]
            replies.append(await server.consensus.Judge(asked))
        assert replies[0] == replies[1]


async def test_a_request_still_being_judged_is_told_to_come_back() -> None:
    held = Held()
    async with (
        backend(held=held) as judges,
        serving(rules(judges.target, default=policy("held"))) as server,
    ):
        first = asyncio.ensure_future(server.consensus.Judge(request(request_id="one")))
        await held.asked.reaches()
        seen = await refused(server.consensus.Judge(request(request_id="one")))
        assert (seen.code, seen.reason) == (grpc.StatusCode.ABORTED, "REQUEST_IN_PROGRESS")
        held.release.set()
        decision = await first
        assert await server.consensus.Judge(request(request_id="one")) == decision
        assert held.asked.count == 1


async def test_a_refusal_is_not_remembered() -> None:
    down = refuses(grpc.StatusCode.UNAVAILABLE)
    async with (
        backend(judge=down) as judges,
        serving(rules(judges.target, default=policy("judge", on_no_quorum="fail"))) as server,
    ):
        seen = await refused(server.consensus.Judge(request(request_id="one")))
        assert seen.reason == "ALL_JUDGES_UNAVAILABLE"
        judges.scripts["judge"] = QUICK
        assert (await server.consensus.Judge(request(request_id="one"))).HasField("decision")


async def test_a_batch_and_a_single_call_share_their_ids() -> None:
    async with (
        backend(quick=QUICK) as judges,
        serving(rules(judges.target, default=policy("quick"))) as server,
    ):
        single = await server.consensus.Judge(request(request_id="one"))
        batch = pb.BatchJudgeRequest(requests=[request(request_id="one"), request()])
        reply = await server.consensus.BatchJudge(batch)
        assert reply.results[0].decision == single.decision
        assert len(judges.requests) == 2


async def test_a_stream_refuses_an_id_because_it_is_not_replayed() -> None:
    async with serving(rules(default=policy("conduct"))) as server:
        asked = pb.StreamJudgeRequest(request=request(request_id="one"))
        seen = await refused(events(server.consensus.StreamJudge(asked)))
        assert list(seen.fields) == ["request.request_id"]
