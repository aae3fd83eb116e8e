"""AEGIS's shipped policy in a running server, its judges doing what a test tells them to."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running, serving
from tests.service.scripted_judge import Backend, Script, answers, backend, gradient

SHIPPED = Path(__file__).parents[2] / "examples/policies/aegis.yaml"
STAGES = ["exit_code", "json_schema", "regex", "semantic", "multi_judge"]
SEMANTIC = "code-quality-judge"
PANEL = [SEMANTIC, "requirements-judge", "security-judge"]
OUTPUT = '{"summary": "Two files.", "files": ["a.csv", "b.csv"]}'
ENDED = submission_pb2.ProcessResult(exit_code=0)
Change = Callable[[dict[str, Any]], None]


def shipped(target: str, change: Change | None = None) -> PolicySet:
    """Return the shipped policy with its judges at `target`, changed as asked."""
    content = yaml.safe_load(SHIPPED.read_text("utf-8")) | {"default_policy": "aegis"}
    if change is not None:
        change(content)
    for name, judge in content["judges"].items():
        if judge["kind"] == "remote":
            judge |= {"target": target, "judge": name}
    return parse_policies(json.dumps(content), SHIPPED, check_faults)


def stage_of(content: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one stage's section of the shipped policy."""
    found: dict[str, Any] = content["policies"]["aegis"]["stages"][STAGES.index(name)]
    return found


class Validated:
    """A server with the policy, and the backend that all its judges are asked at."""

    def __init__(self, server: Running, judges: Backend) -> None:
        self.server = server
        self.judges = judges

    def script(self, **scripts: Script) -> None:
        """Let every judge be pleased but these, named with `_` for `-`; forget earlier requests."""
        pleased = answers(gradient(0.9, 0.9, reasoning="All is well."))
        self.judges.scripts = dict.fromkeys(PANEL, pleased)
        self.judges.scripts |= {name.replace("_", "-"): said for name, said in scripts.items()}
        self.judges.requests.clear()

    async def decide(self, **more: Any) -> decision_pb2.Decision:
        """Return the decision on a sound submission, or on one with other fields."""
        asked = {key: more.pop(key) for key in ("overrides", "policy") if key in more}
        request = pb.JudgeRequest(
            submission=candidate(**more), include_validation_results=True, **asked
        )
        reply = await self.server.consensus.Judge(request)
        decision: decision_pb2.Decision = reply.decision
        return decision

    @property
    def asked(self) -> list[str]:
        """The judges that were asked, in order."""
        return [request.judge for request in self.judges.requests]


def candidate(**more: Any) -> submission_pb2.Submission:
    """Return a submission that every validator passes."""
    fields: dict[str, Any] = {"task": "List the files.", "candidate": OUTPUT, "process": ENDED}
    return submission_pb2.Submission(**fields | more)


def ran(decision: decision_pb2.Decision) -> list[str]:
    """Return the names of the stages that ran."""
    return [stage.stage for stage in decision.stages]


def codes(decision: decision_pb2.Decision) -> list[str]:
    """Return the codes of the reasons."""
    return [reason.code for reason in decision.reasons]


@asynccontextmanager
async def validated(change: Change | None = None) -> AsyncIterator[Validated]:
    """Serve the shipped policy, changed as asked, with pleased judges."""
    async with (
        backend() as judges,
        serving(shipped(judges.target, change)) as server,
    ):
        running = Validated(server, judges)
        running.script()
        yield running
