"""A shipped policy file behind a running server, its remote judges scripted under their names."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from consensus.config.load import parse_policies
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, judge_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running, serving
from tests.service.scripted_judge import Backend, Script, answers, backend, gradient

POLICIES = Path(__file__).parents[2] / "examples" / "policies"
VERDICTS = {
    "ACCEPT": decision_pb2.VERDICT_ACCEPT,
    "RETRY": decision_pb2.VERDICT_RETRY,
    "ESCALATE": decision_pb2.VERDICT_ESCALATE,
}


class Shipped:
    """One shipped policy file, served."""

    def __init__(self, server: Running, judges: Backend) -> None:
        self.server = server
        self._judges = judges

    async def judge(
        self, submission: submission_pb2.Submission, policy: str = "", **scripts: Script
    ) -> decision_pb2.Decision:
        """Return the decision, with these judges doing what their scripts say; the others crash."""
        self._judges.scripts = scripts
        self._judges.requests.clear()
        request = pb.JudgeRequest(submission=submission, policy=policy)
        reply: pb.JudgeResponse = await self.server.consensus.Judge(request)
        return reply.decision

    @property
    def asked(self) -> list[judge_pb2.EvaluateRequest]:
        """What the remote judges were asked for the last decision."""
        return self._judges.requests

    def script(self, **scripts: Script) -> None:
        """Have the judges do this from now on."""
        self._judges.scripts = scripts


@asynccontextmanager
async def shipped(name: str, *, embedded: bool = False) -> AsyncIterator[Shipped]:
    """Serve `examples/policies/NAME.yaml`; its remote judges are all at one scripted backend, or
    their seats are taken by embedded ones.
    """
    file = POLICIES / f"{name}.yaml"
    content: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    if embedded:
        remote = content.pop("judges", {})
        for policy in content["policies"].values():
            _seat_embedded(policy, remote)
    async with backend() as judges:
        for judge, spec in content.get("judges", {}).items():
            spec |= {"target": judges.target, "judge": judge}
        policies = parse_policies(json.dumps(content), file, check_faults)
        async with serving(policies) as server:
            yield Shipped(server, judges)


def _seat_embedded(policy: dict[str, Any], judges: Mapping[str, Any]) -> None:
    for stage in policy["stages"]:
        panel = stage.get("panel", {"seats": []})
        if any(seat["judge"] in judges for seat in panel["seats"]):
            panel["seats"] = [{"judge": "coverage"}, {"judge": "conduct"}]


def says(score: float, reasoning: str = "", confidence: float = 0.9, **more: Any) -> Script:
    """Answer with a gradient."""
    return answers(gradient(score, confidence, reasoning=reasoning, **more))


def codes(decision: decision_pb2.Decision) -> list[str]:
    """Return the codes of the reasons, most important first."""
    return [reason.code for reason in decision.reasons]
