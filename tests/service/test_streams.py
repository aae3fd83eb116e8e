"""StreamJudge tells of every step as it happens, and says what Judge would have said."""

from typing import Any

import anyio
import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from tests.service.refusal import events, refused
from tests.service.running import Running, policy, request, rules, serving, submission
from tests.service.scripted_judge import Hanging, Held, answers, backend, gradient, refuses


def streamed(server: Running, asked: pb.JudgeRequest) -> Any:
    return server.consensus.StreamJudge(pb.StreamJudgeRequest(request=asked))


def kinds(seen: list[pb.StreamJudgeResponse]) -> list[str]:
    """Return what each event is, with the judge or stage that it is about."""
    told = []
    for event in seen:
        match event.WhichOneof("event"):
            case "seat_started":
                told.append(f"started {event.seat_started.judge}")
            case "seat_finished":
                told.append(f"finished {event.seat_finished.seat.judge}")
            case "stage_finished":
                told.append(f"stage {event.stage_finished.stage.stage}")
            case "state_changed":
                state = decision_pb2.ExecutionState.Name(event.state_changed.state)
                told.append(state.removeprefix("EXECUTION_STATE_"))
            case kind:
                told.append(str(kind))
    return told


async def test_events_come_in_order_and_the_last_is_the_decision() -> None:
    slow = Held()
    async with (
        backend(slow=slow, quick=answers(gradient())) as judges,
        serving(rules(judges.target, default=policy("slow", "conduct", "quick"))) as server,
    ):
        call = streamed(server, request())
        seen = [await call.read() for _ in range(7)]
        assert kinds(seen) == [
            "RUNNING",
            "VALIDATING",
            "started conduct",
            "finished conduct",
            "started slow",
            "started quick",
            "finished quick",
        ]
        slow.release.set()
        while (event := await call.read()) is not grpc.aio.EOF:
            seen.append(event)
        assert kinds(seen)[7:] == ["finished slow", "stage panel", "SUCCESS", "decision"]
        assert await call.code() is grpc.StatusCode.OK
        labels = {"grpc_type": "server_stream", "grpc_method": "StreamJudge"}
        labels["grpc_service"] = "consensus.v1.ConsensusService"
        assert server.value("grpc_server_msg_sent_total", **labels) == 11


async def test_the_last_event_says_what_judge_says() -> None:
    two_stages = policy("conduct")
    two_stages["stages"][0]["on_pass"] = "advance"
    two_stages["stages"] += policy("coverage", name="second")["stages"]
    async with serving(rules(default=two_stages)) as server:
        asked = request(submission=submission(rubric={"criteria": [{"id": "C1", "text": "Paris"}]}))
        seen = await events(streamed(server, asked))
        judged = (await server.consensus.Judge(asked)).decision
        decision = seen[-1].decision
        stages = [e.stage_finished.stage for e in seen if e.HasField("stage_finished")]
        assert list(decision.stages) == stages
        assert timeless(decision) == timeless(judged)


def timeless(decision: decision_pb2.Decision) -> decision_pb2.Decision:
    """Return the decision without what differs between two judgments alike."""
    copy = decision_pb2.Decision.FromString(decision.SerializeToString())
    for field in ("decision_id", "create_time", "duration"):
        copy.ClearField(field)
    for stage in copy.stages:
        stage.ClearField("duration")
        for seat in stage.consensus.individual_results:
            seat.ClearField("duration")
    return copy


REFUSED: dict[str, tuple[pb.StreamJudgeRequest, str]] = {
    "no request": (pb.StreamJudgeRequest(), "request"),
    "an empty request": (
        pb.StreamJudgeRequest(request=pb.JudgeRequest()),
        "request.submission",
    ),
    "an unknown policy": (pb.StreamJudgeRequest(request=request("nobody")), "request.policy"),
    "a bad override": (
        pb.StreamJudgeRequest(request=request(overrides=pb.Overrides(n=0))),
        "request.overrides.n",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_a_refusal_is_a_status_that_names_the_field(what: str) -> None:
    asked, field = REFUSED[what]
    async with serving(rules(default=policy("conduct"))) as server:
        seen = await refused(events(server.consensus.StreamJudge(asked)))
        assert seen.code is grpc.StatusCode.INVALID_ARGUMENT
        assert field in seen.fields
        assert server.witness.codes == [("StreamJudge", "INVALID_ARGUMENT")]


async def test_a_judgment_that_fails_midway_ends_the_stream_with_its_status() -> None:
    down = refuses(grpc.StatusCode.UNAVAILABLE)
    async with (
        backend(down=down) as judges,
        serving(rules(judges.target, default=policy("down", on_no_quorum="fail"))) as server,
    ):
        call = streamed(server, request())
        seen = [await call.read() for _ in range(5)]
        assert kinds(seen)[2:] == ["started down", "finished down", "stage panel"]
        refusal = await refused(call.read())
        assert (refusal.code, refusal.reason) == (
            grpc.StatusCode.UNAVAILABLE,
            "ALL_JUDGES_UNAVAILABLE",
        )


async def test_a_reader_that_leaves_midway_stops_the_judges() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("conduct", "hanging"))) as server,
    ):
        call = streamed(server, request())
        assert kinds([await call.read() for _ in range(5)])[-1] == "started hanging"
        await hanging.asked.reaches()
        call.cancel()
        await hanging.cancelled.reaches()
        await server.app.admission.idle()
        assert server.witness.codes == [("StreamJudge", "CANCELLED")]
        assert server.value("consensus_judge_inflight", judge="hanging") == 0


async def test_an_event_too_large_for_a_message_ends_the_stream_with_a_status() -> None:
    names = [f"judge{index}" for index in range(12)]
    wordy = dict.fromkeys(names, answers(gradient(reasoning="x" * 8_000)))
    async with (
        backend(**wordy) as judges,
        serving(rules(judges.target, default=policy(*names)), max_message_bytes=1 << 16) as server,
    ):
        seen = await refused(events(streamed(server, request())))
        assert (seen.code, seen.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "RESPONSE_TOO_LARGE",
        )
        assert server.witness.codes == [("StreamJudge", "RESOURCE_EXHAUSTED")]


async def test_judging_stops_once_an_event_cannot_be_written() -> None:
    names, hanging = [f"judge{index}" for index in range(12)], Hanging()
    wordy = dict.fromkeys(names, answers(gradient(reasoning="x" * 8_000)))
    staged = policy(*names, name="first")
    staged["stages"][0]["on_pass"] = "advance"
    staged["stages"] += policy("hanging", name="second", seat={"timeout_seconds": 100})["stages"]
    async with (
        backend(hanging=hanging, **wordy) as judges,
        serving(
            rules(judges.target, default=staged | {"deadline_seconds": 100}),
            max_message_bytes=1 << 16,
        ) as server,
    ):
        with anyio.fail_after(20):
            seen = await refused(events(streamed(server, request())))
            await server.app.admission.idle()
        assert seen.reason == "RESPONSE_TOO_LARGE"
        assert server.value("consensus_judge_inflight", judge="hanging") == 0
