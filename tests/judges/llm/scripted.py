"""A model that follows a script, in this process, and judges that ask it."""

import json
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import anyio

from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, GradientResult, Usage
from consensus.domain.judges import JudgeSpec, LlmSpec
from consensus.domain.submission import Submission
from consensus.judges.llm.chat import Ask, Finish, Reply, Token
from consensus.judges.llm.judge import LlmJudge
from tests.virtual_clock import VirtualClock

NONCE = "0123456789abcdef"
SECONDS = 30.0
COST = 0.01

Line = str | Reply | BaseException | Callable[[Ask], str]
"""One answer: its text, all of it, what is raised, or what makes the text."""


class ScriptedModel:
    """Answers with each line in turn, and with the last one from then on."""

    name = "scripted"

    def __init__(self, *script: Line, seconds: float = 1.0, cost: float | None = COST) -> None:
        self._script = script
        self._seconds = seconds
        self._cost = cost
        self.asked: list[Ask] = []
        self.timeouts: list[float] = []
        self.begun = anyio.Event()
        self.ended = anyio.Event()
        self.under_way = 0
        self.most = 0

    async def complete(self, ask: Ask, timeout_seconds: float) -> Reply:
        line = self._script[min(len(self.asked), len(self._script) - 1)]
        self.asked.append(ask)
        self.timeouts.append(timeout_seconds)
        self.begun.set()
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if self._seconds:
                await anyio.sleep(self._seconds)
        finally:
            self.under_way -= 1
            self.ended.set()
        if isinstance(line, BaseException):
            raise line
        return (
            line if isinstance(line, Reply) else told(line if isinstance(line, str) else line(ask))
        )

    def worst_cost(self, ask: Ask) -> float | None:
        return self._cost and self._cost * ask.max_tokens

    async def close(self) -> None:
        raise AssertionError("a judge does not own its backend")


def told(text: str, finish: Finish = Finish.STOP, **fields: Any) -> Reply:
    """Return a reply of this text that cost something."""
    usage = Usage(input_tokens=100, output_tokens=10, cost_usd=COST)
    return Reply(**{"text": text, "finish": finish, "usage": usage, "model": "m-1", **fields})


def says(score: float | None = 0.9, confidence: float | None = 0.8, **fields: Any) -> str:
    """Return the JSON of a sound reply; `findings` maps ids to statuses, or lists objects."""
    findings = fields.pop("findings", {})
    if isinstance(findings, Mapping):
        findings = [finding(name, status) for name, status in findings.items()]
    said = {"findings": findings, "reasoning": "Because.", "abstain": score is None}
    return json.dumps({**said, "score": score, "confidence": confidence, **fields})


def finding(name: str, status: str, *quotes: str, index: int | None = None) -> dict[str, Any]:
    """Return one finding of a reply."""
    return {
        "criterion_id": name,
        "requirement": f"Holds {name}",
        "evidence": [{"message_index": index, "quote": quote} for quote in quotes],
        "reasoning": f"On {name}.",
        "status": status,
    }


def tokens_of(digit: str, top: Mapping[str, float], text: str | None = None) -> Reply:
    """Return a reply with tokens; those of the score have these probabilities."""
    whole = text or json.dumps({"score": int(digit), "confidence": 0.5})
    before, after = whole.split(digit, 1)
    logprobs = tuple((word, math.log(share)) for word, share in top.items())
    parts = (Token(before, ()), Token(digit, logprobs), Token(after, ()))
    return told(whole, tokens=parts)


def judge(backend: ScriptedModel, threads: Executor | None = None, **fields: Any) -> LlmJudge:
    """Return a judge named `model` with these fields of its LlmSpec, and a nonce that is known."""
    spec = LlmSpec(**{"backend": "scripted", "model": "small", **fields})
    named = JudgeSpec(name="model", kind="llm", llm=spec)
    return LlmJudge(named, backend, VirtualClock(), lambda: NONCE, threads)


def evaluation(about: Submission) -> Evaluation:
    """Return what a panel asks."""
    return Evaluation(about, Hierarchy())


async def answer(backend: ScriptedModel, about: Submission, **fields: Any) -> Answer:
    """Ask a judge of these fields."""
    return await judge(backend, **fields).evaluate(evaluation(about), SECONDS)


async def gradient(backend: ScriptedModel, about: Submission, **fields: Any) -> GradientResult:
    """Ask a judge of these fields, which must score."""
    found = await answer(backend, about, **fields)
    assert isinstance(found, GradientResult)
    return found
