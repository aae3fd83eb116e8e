"""Judges that are scripted models behind a running server, and what they are asked to look at."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from consensus_client.testing import FakeLlm, LlmAnswer
from consensus_client.testing.llm_answers import LlmReply, llm_reply
from consensus_client.testing.llm_calls import LlmCall

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.domain.trace import Span
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running, serving, submission
from tests.wire.otlp_documents import json_bytes, protobuf_bytes

DIALECTS = ("openai_chat", "anthropic_messages")
PRICE = {"input": 2.0, "output": 10.0}
IN, OUT = 100, 20
"""Tokens that every reply of the fakes tells."""
COST = (IN * PRICE["input"] + OUT * PRICE["output"]) / 1e6
SECONDS = 10.0

JUDGES: dict[str, dict[str, Any]] = {
    "tools": {},
    "bare": {"trace_layout": "bare"},
    "outline": {"discovery": {"token_threshold": 0}},
    "bare_outline": {"trace_layout": "bare", "discovery": {"token_threshold": 0}},
    "two_steps": {"discovery": {"token_threshold": 0, "max_steps": 2}},
    "no_steps": {"discovery": {"token_threshold": 0, "max_steps": 0}},
    "three_samples": {
        "discovery": {"token_threshold": 0},
        "samples": 3,
        "temperature": 0.5,
        "second_pass": "paraphrase",
    },
    "logprobs": {"discovery": {"token_threshold": 0}, "scoring": "logprobs"},
    "blind": {},
    "by_tool": {"discovery": {"token_threshold": 0}},
    "hasty": {"discovery": {"token_threshold": 0}},
}
"""What each judge has beside a model: each is there in both dialects."""
_CAPABILITIES: dict[str, dict[str, Any]] = {
    "blind": {"tools": False},
    "by_tool": {"tools": True, "structured": "tool"},
    "logprobs": {"tools": True, "logprobs": True},
}


def policies(base_url: str) -> PolicySet:
    """Return a policy for each judge and dialect, such as `tools.openai_chat`."""
    backends, judges, rules = {}, {}, {}
    for kind in DIALECTS:
        for name, keys in JUDGES.items():
            if name == "logprobs" and kind != DIALECTS[0]:
                continue  # it has none
            whole = f"{name}.{kind}"
            backends[whole] = {
                "kind": kind,
                "base_url": base_url,
                "prices": {"m": PRICE},
                "capabilities": _CAPABILITIES.get(name, {"tools": True}),
            }
            judges[whole] = {"kind": "llm", "backend": whole, "model": "m", **keys}
            seat = {"judge": whole, "timeout_seconds": 0.5 if name == "hasty" else SECONDS}
            stage = {"name": "panel", "panel": {"seats": [seat]}, "on_no_quorum": "escalate"}
            rules[whole] = {"stages": [stage]}
    file = {
        "default_policy": f"tools.{DIALECTS[0]}",
        "backends": backends,
        "judges": judges,
        "policies": rules,
    }
    return parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)


class Looking:
    """A server, and the model that its judges ask."""

    def __init__(self, server: Running, model: FakeLlm) -> None:
        self.server = server
        self.model = model

    async def judge(
        self, policy: str, *script: LlmAnswer, **fields: Any
    ) -> tuple[decision_pb2.SeatResult, Sequence[LlmCall]]:
        """Return what becomes of the one seat, and the calls that its judge made."""
        decision, calls = await self.decide(policy, *script, **fields)
        return decision.stages[0].consensus.individual_results[0], calls

    async def decide(
        self, policy: str, *script: LlmAnswer, **fields: Any
    ) -> tuple[decision_pb2.Decision, Sequence[LlmCall]]:
        """Return the decision, and the calls of its one judge."""
        self.model.script(*script)
        before = len(self.model.calls)
        most = fields.pop("max_cost_usd", None)
        request = pb.JudgeRequest(submission=submission(**fields), policy=policy, max_cost_usd=most)
        reply = await self.server.consensus.Judge(request)
        return reply.decision, self.model.calls[before:]


@asynccontextmanager
async def looking() -> AsyncIterator[Looking]:
    """Serve every policy, all of them asking one scripted model."""
    with FakeLlm() as model:
        async with serving(policies(model.base_url)) as server:
            yield Looking(server, model)


def traced(*spans: Span, as_json: bool = False) -> submission_pb2.Trace:
    """Return spans as the contract carries them."""
    if as_json:
        return submission_pb2.Trace(otlp_json=json_bytes(spans).decode())
    return submission_pb2.Trace(otlp_protobuf=protobuf_bytes(spans))


def rubric(*ids: str) -> submission_pb2.Rubric:
    """Return a rubric with a required criterion for each id."""
    criteria = [submission_pb2.Criterion(id=i, text=f"Shows {i}", required=True) for i in ids]
    return submission_pb2.Rubric(criteria=criteria)


def says(score: float = 0.9, findings: Sequence[object] = ()) -> LlmReply:
    """Answer with a sound opinion."""
    said = {"reasoning": "Looked at.", "abstain": False, "score": score, "confidence": 0.8}
    return llm_reply(json.dumps({"findings": list(findings), **said}))


def met(criterion: str, quote: str, span_id: str | None = None) -> dict[str, object]:
    """Return a finding with one quotation."""
    evidence = {"message_index": None, "span_id": span_id, "quote": quote}
    return {
        "criterion_id": criterion,
        "requirement": "It shows.",
        "evidence": [evidence],
        "reasoning": "It stands there.",
        "status": "MET",
    }


def block(name: str, text: str) -> str:
    """Return the one block of this name that a message holds."""
    found = re.findall(rf"<<<{name} ([0-9a-f]{{32}})\n(.*?)\n{name} \1>>>", text, re.DOTALL)
    assert len(found) == 1
    return str(found[0][1])


def told(call: LlmCall, name: str = "TRACE") -> str:
    """Return what a call tells of the trace, or of the conversation."""
    return block(name, next(text for text in call.texts if f"<<<{name} " in text))


def looked_up(call: LlmCall) -> list[str]:
    """Return the results of tools in a call, in order."""
    return [block("RESULT", text) for text in call.texts if "<<<RESULT " in text]


def decision_call(call: LlmCall, kind: str) -> None:
    """Hold a call to what a decision is: no tools, the usual form."""
    assert call.tools == ()
    assert call.schema is not None
    assert "score" in call.schema["properties"]
    assert ("response_format" if kind == DIALECTS[0] else "output_config") in call.body
    assert len([m for m in call.body["messages"] if m["role"] != "system"]) == 1
