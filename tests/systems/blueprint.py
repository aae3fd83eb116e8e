"""The shipped goal blueprint behind a running server; its fast and strong judge say what a test
tells them to.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from consensus.config.load import parse_policies
from consensus.v1 import consensus_pb2, decision_pb2, gradient_pb2, judge_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running, serving
from tests.service.scripted_judge import Backend, backend, gradient

SHIPPED = Path(__file__).parents[2] / "examples/policies/goal_blueprint.yaml"
QUOTE = "opens at nine"
CANDIDATE = f"The tower {QUOTE}. A ticket costs twelve euros."
CRITERIA = ("C1", "C2")
MET, UNMET, OPEN = (
    gradient_pb2.FINDING_STATUS_MET,
    gradient_pb2.FINDING_STATUS_UNMET,
    gradient_pb2.FINDING_STATUS_INCONCLUSIVE,
)
COMPLETE = submission_pb2.GOAL_STATUS_COMPLETE
PARTIAL = submission_pb2.GOAL_STATUS_PARTIAL
NOT_YET = submission_pb2.GOAL_STATUS_NOT_YET
UNKNOWN = submission_pb2.GOAL_STATUS_UNKNOWN
REFUSAL = submission_pb2.GOAL_STATUS_REFUSAL


def finding(criterion: str, status: int = MET, *quotes: str) -> gradient_pb2.Finding:
    """Return a finding; MET with a quotation unless others are given."""
    quoted = quotes or ((QUOTE,) if status == MET else ())
    evidence = [gradient_pb2.Evidence(quote=quote) for quote in quoted if quote]
    return gradient_pb2.Finding(criterion_id=criterion, status=status, evidence=evidence)  # type: ignore[arg-type]


def says(
    confidence: float, *findings: gradient_pb2.Finding, criteria: tuple[str, ...] = CRITERIA
) -> judge_pb2.EvaluateResponse:
    """Return an answer that every criterion is MET, unless findings are given."""
    found = findings or [finding(name) for name in criteria]
    met = sum(one.status == MET for one in found) / len(found)
    return gradient(met, confidence, findings=found)


def partial(confidence: float) -> judge_pb2.EvaluateResponse:
    """Return an answer that the first criterion is MET and the second is not."""
    return says(confidence, finding("C1"), finding("C2", UNMET))


class Judges:
    """What the fast and the strong judge say, and how often they were asked."""

    def __init__(self) -> None:
        self.fast: judge_pb2.EvaluateResponse | None = None
        self.strong: judge_pb2.EvaluateResponse | None = None
        self.asked: list[str] = []

    def say(
        self,
        fast: judge_pb2.EvaluateResponse | None = None,
        strong: judge_pb2.EvaluateResponse | None = None,
    ) -> None:
        """Say this from now on; None fails the call."""
        self.fast, self.strong, self.asked = fast, strong, []

    async def goal_fast(self, request: Any, context: Any) -> bytes:
        return await self._answer("fast", self.fast)

    async def goal_strong(self, request: Any, context: Any) -> bytes:
        return await self._answer("strong", self.strong)

    async def _answer(self, name: str, reply: judge_pb2.EvaluateResponse | None) -> bytes:
        self.asked.append(name)
        return b"\xff" if reply is None else reply.SerializeToString()


class Blueprint:
    """The server, and what its judges say."""

    def __init__(self, server: Running, judges: Judges) -> None:
        self.server = server
        self.judges = judges

    async def judge(
        self, submission: submission_pb2.Submission, policy: str = ""
    ) -> decision_pb2.Decision:
        request = consensus_pb2.JudgeRequest(submission=submission, policy=policy)
        reply = await self.server.consensus.Judge(request)
        decision: decision_pb2.Decision = reply.decision
        return decision


def shipped(target: str, *, sandbox: dict[str, Any] | None = None, **goal: Any) -> dict[str, Any]:
    """Return the shipped policy file, its judges at `target`; `goal` changes the guards' keys."""
    content: dict[str, Any] = yaml.safe_load(SHIPPED.read_text("utf-8"))
    for judge in content["judges"].values():
        judge["target"] = target
    content["policies"]["goal"]["guards"]["goal"] |= goal
    content["sandbox"] |= sandbox or {}
    return content


@asynccontextmanager
async def blueprint(
    sandbox: dict[str, Any] | None = None, **policies: dict[str, Any]
) -> AsyncIterator[Blueprint]:
    """Serve the shipped policy, and others by name that change keys of its goal's guards."""
    judges = Judges()
    scripts = {"goal-fast": judges.goal_fast, "goal-strong": judges.goal_strong}
    async with (
        backend(**scripts) as behind,  # type: ignore[arg-type]
        serving(_rules(behind, sandbox, policies)) as server,
    ):
        yield Blueprint(server, judges)


def _rules(behind: Backend, sandbox: dict[str, Any] | None, policies: dict[str, Any]) -> Any:
    content = shipped(behind.target, sandbox=sandbox)
    for name, goal in policies.items():
        content["policies"][name] = shipped(behind.target, **goal)["policies"]["goal"]
    return parse_policies(json.dumps(content), SHIPPED, check_faults)


def criterion(name: str, text: str = "", required: bool = True, **more: Any) -> Any:
    """Return a criterion; required unless told otherwise."""
    return submission_pb2.Criterion(
        id=name, text=text or f"Holds {name}", required=required, **more
    )


def earlier(confidence: float | None = None, status: int = COMPLETE, **more: Any) -> Any:
    """Return an earlier turn; None: it was not judged."""
    if confidence is None:
        return submission_pb2.EarlierTurn(**more)
    return submission_pb2.EarlierTurn(goal_status=status, goal_confidence=confidence, **more)  # type: ignore[arg-type]


def turn(
    *before: Any, iteration: int | None = None, candidate: str = CANDIDATE, **more: Any
) -> submission_pb2.Submission:
    """Return a turn's submission with two required criteria without checks."""
    facts = submission_pb2.Turn(
        iteration=len(before) if iteration is None else iteration, earlier=before
    )
    fields: dict[str, Any] = {
        "task": "Say when the tower opens and what a ticket costs.",
        "candidate": candidate,
        "rubric": submission_pb2.Rubric(criteria=[criterion(name) for name in CRITERIA]),
        "turn": facts,
    }
    return submission_pb2.Submission(**fields | more)


def codes(decision: decision_pb2.Decision) -> list[str]:
    """Return the reasons' codes."""
    return [reason.code for reason in decision.reasons]
