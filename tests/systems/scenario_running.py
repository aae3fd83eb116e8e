"""The shipped policy of a scenario behind a running server, its model as scripted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from consensus_client.testing import FakeLlm

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running

SHIPPED = Path(__file__).parents[2] / "examples/policies/scenario.yaml"
POLICY = "scenario"
TASK = "Help the customers of a hotel with their bookings."
TALK = (
    ("user", "A room for Friday, please. Is breakfast included?"),
    ("tool", '{"room": 12, "night": "Friday", "breakfast": true}'),
    ("assistant", "Room 12 is booked for Friday, breakfast included."),
)
RUBRIC = {"C1": "Books the room", "C2": "Says that breakfast is included"}


def shipped(model: FakeLlm, **policies: Mapping[str, Any]) -> PolicySet:
    """Return the shipped file with its model at `model`, and more policies beside its own."""
    content = yaml.safe_load(SHIPPED.read_text("utf-8"))
    content["backends"]["local"]["base_url"] = model.base_url
    content["judges"]["closed"] = content["judges"]["judge"] | {"missing_findings": "unmet"}
    content["policies"] |= policies
    content["default_policy"] = POLICY
    return parse_policies(json.dumps(content), SHIPPED, check_faults)


def variant(**keys: Any) -> dict[str, Any]:
    """Return the shipped policy with other keys; its stage's are `stage`."""
    policy: dict[str, Any] = yaml.safe_load(SHIPPED.read_text("utf-8"))["policies"][POLICY]
    stage = policy["stages"][0] | keys.pop("stage", {})
    return policy | {"stages": [stage]} | keys


def said(**statuses: str) -> str:
    """Return a model's reply with these statuses of criteria."""
    return reply([finding(name, status) for name, status in statuses.items()])


def finding(name: str, status: object) -> dict[str, object]:
    """Return one finding of a reply."""
    return {
        "criterion_id": name,
        "requirement": "As given.",
        "evidence": [],
        "reasoning": "Seen.",
        "status": status,
    }


def reply(findings: object, **more: object) -> str:
    """Return a model's reply; its score says nothing of the findings."""
    rest = {"reasoning": "As found.", "abstain": False, "score": 0.5, "confidence": 0.9}
    return json.dumps({"findings": findings, **rest, **more})


def rubric(criteria: Mapping[str, str]) -> submission_pb2.Rubric:
    """Return a rubric of optional criteria."""
    return submission_pb2.Rubric(
        criteria=[submission_pb2.Criterion(id=name, text=text) for name, text in criteria.items()]
    )


def turn_of_test(
    *,
    iteration: int | None = 2,
    verdict_required: bool = False,
    criteria: Mapping[str, str] | None = RUBRIC,
    max_iterations: int | None = None,
    **more: Any,
) -> submission_pb2.Submission:
    """Return a submission after a turn of a test; `criteria` None leaves the rubric unset."""
    fields: dict[str, Any] = {
        "task": TASK,
        "messages": [submission_pb2.Message(role=role, content=words) for role, words in TALK],
        "scenario": submission_pb2.Scenario(
            description="A customer books a room.", verdict_required=verdict_required
        ),
    }
    if criteria is not None:
        fields["rubric"] = rubric(criteria)
    if iteration is not None:
        fields["turn"] = submission_pb2.Turn(iteration=iteration, max_iterations=max_iterations)
    return submission_pb2.Submission(**fields | more)


async def judged(
    server: Running, submission: submission_pb2.Submission, policy: str = POLICY, **more: Any
) -> decision_pb2.Decision:
    """Return the decision about a submission."""
    asked = pb.JudgeRequest(submission=submission, policy=policy, **more)
    decision: decision_pb2.Decision = (await server.consensus.Judge(asked)).decision
    return decision


def outcome(decision: decision_pb2.Decision) -> tuple[str, str, str]:
    """Return outcome, verdict and first reason of a decision."""
    name = decision_pb2.ScenarioOutcome.Name(decision.scenario_outcome)
    return (
        name.removeprefix("SCENARIO_OUTCOME_"),
        decision_pb2.Verdict.Name(decision.verdict).removeprefix("VERDICT_"),
        decision.reasons[0].code,
    )


def statuses(decision: decision_pb2.Decision) -> dict[str, str]:
    """Return each criterion's status."""
    names = decision_pb2.DESCRIPTOR.pool.FindEnumTypeByName("consensus.v1.FindingStatus")
    return {
        c.criterion_id: names.values_by_number[c.status].name.removeprefix("FINDING_STATUS_")
        for c in decision.criteria
    }
