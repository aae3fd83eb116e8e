"""Real transcripts of airline agents, turn by turn, through a running server with the shipped turn
and goal policies and embedded judges.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.transcripts import Conversation, conversations, turns
from consensus.domain.submission import Criterion, Submission
from consensus.domain.turn import OutputKey
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from consensus.wire.submission import submission_to
from tests.systems.serving import Shipped, codes, shipped

DATA = Path(__file__).parents[3] / "shared" / "data" / "traj_tau_airline.jsonl.gz"
EVERY = 8
"""One run of eight: 25 of 200."""
CAPS = {
    ("hive", "turn"): 50,
    ("hive", "turn-custom"): 50,
    ("enginex", "step"): 50,
    ("enginex", "subagent"): 10,
    ("goal", "goal"): 25,
}
"""Most turns of a run, by file and policy."""
CRITERIA = "Every request of the customer is settled or declined with its reason."
RUBRIC = (
    Criterion(id="C1", text="Confirms the booking, its change or its cancellation", required=True),
    Criterion(id="C2", text="Tells the customer what it costs or pays back"),
)


@dataclass
class Run:
    """What became of one transcript, or of several."""

    turns: int = 0
    verdict: int = decision_pb2.VERDICT_RETRY
    reasons: Counter[str] = field(default_factory=Counter)


@pytest.fixture(name="sample", scope="module")
def _sample() -> list[Conversation]:
    if not DATA.exists():
        pytest.skip("the transcripts ../shared/data/traj_tau_airline.jsonl.gz are not there")
    return list(conversations(DATA))[::EVERY]


@pytest.fixture(params=["hive", "enginex", "goal"], scope="module", name="served")
async def _served(request: pytest.FixtureRequest) -> AsyncIterator[tuple[str, Shipped]]:
    async with shipped(request.param, embedded=True) as server:
        yield request.param, server


def told(messages: Conversation, policy: str) -> Iterator[Submission]:
    """Yield the turns of a transcript with what the policy wants to know of a step; a sub-agent
    never sets its output.
    """
    keys = (OutputKey("resolution"),) if policy == "subagent" else ()
    for submission in turns(messages):
        assert submission.turn is not None
        facts = replace(submission.turn, success_criteria=CRITERIA, output_keys=keys)
        yield replace(submission, turn=facts, rubric=RUBRIC)


async def run_through(messages: Conversation, served: Shipped, policy: str) -> Run:
    """Judge turn by turn until a verdict ends the run, or the transcript does."""
    run = Run()
    for submission in told(messages, policy):
        request = pb.JudgeRequest(submission=submission_to(submission), policy=policy)
        decision = (await served.server.consensus.Judge(request)).decision
        run.turns, run.verdict = run.turns + 1, decision.verdict
        run.reasons.update(codes(decision))
        if run.verdict != decision_pb2.VERDICT_RETRY:
            break
    return run


async def test_every_run_ends_within_its_cap_and_firings_are_reported(
    sample: list[Conversation],
    served: tuple[str, Shipped],
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    file, server = served
    for policy in [policy for name, policy in CAPS if name == file]:
        runs = [await run_through(messages, server, policy) for messages in sample]
        fired = sum((run.reasons for run in runs), Counter[str]())
        record_testsuite_property(f"{file}: {policy}", dict(fired))
        assert len(runs) == 25
        assert max(run.turns for run in runs) <= CAPS[file, policy]
        assert fired.total() >= sum(run.turns for run in runs)


@pytest.mark.parametrize("served", ["hive", "enginex"], indirect=True)
async def test_what_a_customer_talks_about_with_an_agent_stays_open(
    sample: list[Conversation], served: tuple[str, Shipped]
) -> None:
    """Implicit judges never accept a conversation without outputs, and trip over no real run."""
    _, server = served
    for messages in sample[::4]:
        run = await run_through(messages, server, "")
        assert run.verdict == decision_pb2.VERDICT_RETRY
        assert set(run.reasons) <= {"CONVERSATION_OPEN", "TOOL_CALLS_PENDING"}
