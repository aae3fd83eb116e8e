"""Replays the recorded prompts through a real server, once for each strategy."""

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import grpc
import grpc.aio
from google.protobuf import struct_pb2

from consensus.v1 import consensus_pb2, consensus_pb2_grpc, decision_pb2, submission_pb2
from examples.replay.panels import STRATEGIES, policy_file
from examples.replay.processes import (
    ReplayError,
    judge_address,
    judge_command,
    running,
    server_address,
    server_command,
)
from examples.replay.prompts import JUDGES, Prompt, Recording

IN_FLIGHT = 2
"""Batches under way: while one is folded the next one is on the wire."""
CALL_SECONDS = 60.0
MAX_BYTES = 8 << 20


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What one strategy made of every response."""

    strategy: str
    scores: dict[str, float | None] = field(default_factory=dict)
    """Folded score by item; None where every judge abstained."""
    agreements: list[float] = field(default_factory=list)
    """Of the panels with at least two scored seats."""
    calls: int = 0
    """Judges asked."""
    abstained: int = 0
    failed: int = 0
    """Seats without an answer. Anything but 0 means that the figures are not the record's."""
    seconds: float = 0.0

    def add(self, item: str, decision: decision_pb2.Decision) -> None:
        """Take in the decision about one item."""
        consensus = decision.stages[0].consensus
        scored = consensus.HasField("final_score")
        self.scores[item] = consensus.final_score if scored else None
        if consensus.HasField("agreement"):
            self.agreements.append(consensus.agreement)
        for seat in consensus.individual_results:
            self.calls += seat.attempts
            self.abstained += seat.status == decision_pb2.SEAT_STATUS_ABSTAINED
            self.failed += seat.status == decision_pb2.SEAT_STATUS_FAILED


def request(prompt: Prompt, item: str, strategy: str) -> consensus_pb2.JudgeRequest:
    """Return what is sent about one response: its id, and nothing of what is known about it."""
    context = struct_pb2.Struct(fields={"item_id": struct_pb2.Value(string_value=item)})
    submission = submission_pb2.Submission(
        task=f"RewardBench 2 prompt {prompt.prompt_id}", candidate=item, context=context
    )
    return consensus_pb2.JudgeRequest(submission=submission, policy=strategy)


async def replay(
    recording: Recording,
    data: Path,
    *,
    batch_size: int,
    advance: Callable[[str, int], None] = lambda strategy, count: None,
) -> list[Outcome]:
    """Start judges and server, send every response to every strategy, stop them. ReplayError.

    `advance` is told of the judgments that have come back.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="consensus-replay-")))
        judges = {
            name: await stack.enter_async_context(
                running(f"the judge {name}", judge_command(name, data), judge_address)
            )
            for name in JUDGES
        }
        targets = {name: await child.address() for name, child in judges.items()}
        policies = folder / "policies.yaml"
        policies.write_text(policy_file(targets), "utf-8")
        server = await stack.enter_async_context(
            running("the server", server_command(policies), server_address)
        )
        options = [("grpc.max_receive_message_length", MAX_BYTES)]
        channel = grpc.aio.insecure_channel(await server.address(), options)
        stub = consensus_pb2_grpc.ConsensusServiceStub(await stack.enter_async_context(channel))
        return [
            await _ask(stub, recording.prompts, strategy, batch_size, advance)
            for strategy in STRATEGIES
        ]


async def _ask(
    stub: consensus_pb2_grpc.ConsensusServiceStub,
    prompts: Sequence[Prompt],
    strategy: str,
    batch_size: int,
    advance: Callable[[str, int], None],
) -> Outcome:
    outcome = Outcome(strategy=strategy)
    items = [(prompt, item) for prompt in prompts for item in prompt.items]
    batches = iter([items[at : at + batch_size] for at in range(0, len(items), batch_size)])

    async def work() -> None:
        for batch in batches:
            requests = [request(prompt, item, strategy) for prompt, item in batch]
            call = consensus_pb2.BatchJudgeRequest(requests=requests)
            try:
                reply = await stub.BatchJudge(call, timeout=CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                words = f"the server answered {error.code().name}: {error.details()}"
                raise ReplayError(words) from None
            for (_, item), result in zip(batch, reply.results, strict=True):
                if result.HasField("error"):
                    raise ReplayError(f"{item}: {result.error.reason}: {result.error.message}")
                outcome.add(item, result.decision)
            advance(strategy, len(batch))

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(IN_FLIGHT):
            group.start_soon(work)
    outcome.seconds = time.perf_counter() - began
    return outcome
