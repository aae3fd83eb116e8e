"""A submission's trace at the door: where it is read, and how its faults are told."""

import asyncio
import threading
from typing import Any

import pytest

from consensus.domain.errors import BudgetSpent
from consensus.service import traces
from consensus.service.traces import LARGE_BYTES, THREADS, TraceReader
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import judge_pb2, submission_pb2
from tests.builders import submission as judged
from tests.service.refusal import events, refused
from tests.service.running import policy, request, rules, serving, submission
from tests.traces.building import span
from tests.wire.otlp_documents import json_bytes

BROKEN = submission_pb2.Trace(otlp_json="[]")


def trace(characters: int) -> submission_pb2.Trace:
    spans = [span("a0b1c2d3", attributes={"k": "x" * characters})]
    return submission_pb2.Trace(otlp_json=json_bytes(spans).decode())


@pytest.mark.parametrize(
    ("characters", "aside"),
    [pytest.param(9, False, id="a small one"), pytest.param(LARGE_BYTES, True, id="a large one")],
)
async def test_only_a_large_trace_is_read_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, characters: int, aside: bool
) -> None:
    readers: list[int] = []
    read = traces._read

    def spy(*given: Any) -> Any:
        readers.append(threading.get_ident())
        return read(*given)

    monkeypatch.setattr(traces, "_read", spy)
    async with serving(rules(default=policy("conduct"))) as server:
        await server.consensus.Judge(request(submission=submission(trace=trace(characters))))
        await server.consensus.Judge(request())
    assert [reader != threading.get_ident() for reader in readers] == [aside]


async def test_whoever_stops_waiting_does_not_make_room_for_one_more_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, most, free, lock = 0, 0, threading.Event(), threading.Lock()
    full, read = asyncio.Event(), traces._read
    loop = asyncio.get_running_loop()

    def slow(*given: Any) -> Any:
        nonlocal began, most
        with lock:
            began += 1
            most = max(most, began)
        if began == THREADS:
            loop.call_soon_threadsafe(full.set)
        free.wait(30)
        with lock:
            began -= 1
        return read(*given)

    monkeypatch.setattr(traces, "_read", slow)
    reader, large = TraceReader(), trace(LARGE_BYTES)

    def reading() -> Any:
        return asyncio.create_task(reader.traced(judged(), {}, large, 30, "submission.trace"))

    gone = [reading() for _ in range(THREADS)]
    await full.wait()
    for task in gone:
        task.cancel()
    await asyncio.wait(gone)
    staying = [reading() for _ in range(THREADS)]
    for _ in range(100):
        await asyncio.sleep(0)
    free.set()
    for submitted, _, _ in await asyncio.gather(*staying):
        assert len(submitted.trace) == 1
    assert most == THREADS


async def test_reading_takes_its_time_from_the_budget() -> None:
    with pytest.raises(BudgetSpent):
        await TraceReader().traced(judged(), {}, trace(9), 0.001, "submission.trace")


async def test_the_field_at_fault_is_told_by_every_method() -> None:
    broken = submission(trace=BROKEN)
    asked = request(submission=broken)
    async with serving(rules(default=policy("conduct"))) as server:
        one = await refused(server.consensus.Judge(asked))
        stream = server.consensus.StreamJudge(pb.StreamJudgeRequest(request=asked))
        streamed = await refused(events(stream))
        batch = pb.BatchJudgeRequest(requests=[request(), asked])
        error = (await server.consensus.BatchJudge(batch)).results[1].error
        judge = judge_pb2.EvaluateRequest(submission=broken)
        evaluated = await refused(server.judge.Evaluate(judge))
    words = "resourceSpans: is missing; the JSON is no OTLP trace"
    assert one.fields == {"submission.trace.otlp_json": words}
    assert streamed.fields == {"request.submission.trace.otlp_json": words}
    assert error.violations[0].field == "requests[1].submission.trace.otlp_json"
    assert evaluated.fields == one.fields
