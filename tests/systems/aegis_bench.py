"""Small policies in a running server, with scripted remote judges and a model server beside it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consensus_client.testing import FakeLlm, llm_reply

from consensus.config.load import parse_policies
from consensus.validators import check_faults
from tests.service.running import Running, policy, request, serving
from tests.service.scripted_judge import Backend, answers, backend, gradient

SAID = {"reasoning": "Sound.", "abstain": False, "score": 0.9, "confidence": 0.6}
SOUND = json.dumps(SAID)
"""What a model replies where nothing else is told."""
POLICIES = {
    "bare": policy("a"),
    "gated": policy("a", gate={"min_score": 0.4}),
    "written": policy("a", panel={"threshold": 0.9}),
    "best": policy("a", "b", panel={"strategy": "best_of_n", "n": 1}),
    "firm": policy("a", "b", gate={"min_score": 0.7, "min_confidence": 0.7, "min_agreement": 0.7}),
    **{
        f"tie-{tie}": policy("a", "b", panel={"strategy": "majority", "tie": tie})
        for tie in ("fail", "pass", "escalate")
    },
    "exit": {"stages": [{"name": "exit", "checks": [{"exit_code": {}}]}]},
    "form": {
        "stages": [
            {
                "name": "form",
                "checks": [{"regex": "Paris"}, {"regex": "^Rome"}, {"contains": "Madrid"}],
            }
        ]
    },
    "median": policy("a", "b", "c", panel={"strategy": "median"}),
    "trimmed": policy("a", "b", "c", panel={"strategy": "trimmed_mean", "trim": 0.34}),
    "model": policy("model"),
    "filled": policy("filled"),
}


@dataclass
class Bench:
    """The server, the backend of its remote judges, and the server of its model."""

    server: Running
    judges: Backend
    model: FakeLlm

    def say(self, **said: tuple[float, float]) -> None:
        """Let remote judges give these scores and confidences."""
        self.judges.scripts = {
            judge: answers(gradient(*pair, reasoning=f"{judge} says so."))
            for judge, pair in said.items()
        }

    async def decide(self, policy: str, **more: Any) -> Any:
        """Return the decision, its view by kind included."""
        asked = {"include_validation_results": True} | more
        return (await self.server.consensus.Judge(request(policy, **asked))).decision

    async def told(self, policy: str = "model", **more: Any) -> tuple[dict[str, Any], str, str]:
        """Return the body that the model's server gets, its system prompt, and what it is asked."""
        self.model.script(llm_reply(SOUND))
        already = len(self.model.requests)
        await self.decide(policy, **more)
        (body,) = self.model.requests[already:]
        system, user = (message["content"] for message in body["messages"])
        return body, system, user


@asynccontextmanager
async def benched() -> AsyncIterator[Bench]:
    """Serve the policies, every judge on a server of this process."""
    with FakeLlm() as model:
        async with backend() as judges:
            llm = {"kind": "llm", "backend": "local", "model": "m"}
            file = {
                "default_policy": "bare",
                "backends": {"local": {"kind": "openai_chat", "base_url": model.base_url}},
                "judges": {
                    "model": llm | {"temperature": 0.1, "max_tokens": 500},
                    "filled": llm | {"missing_confidence": 0.8},
                    **{n: {"kind": "remote", "target": judges.target, "judge": n} for n in "abc"},
                },
                "policies": POLICIES,
            }
            policies = parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)
            async with serving(policies) as server:
                yield Bench(server, judges, model)
