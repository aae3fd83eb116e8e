"""The service that users write by hand: five models asked at once, a mean, a threshold.

    python -m benchmarks.servers.llm_gather sdk|aiohttp HOST:PORT

It sends what ours sends: the same rules and schema, and the work in as many words. It reads score,
confidence and reasoning, and believes whatever it is told: no time-outs, no seats for failed
judges, no ranges, no findings, no quotations located, no tokens counted, no metrics and no logs.
"""

import asyncio
import json
import statistics
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import grpc.aio

from benchmarks.servers.running import serve
from benchmarks.workload import JUDGES
from consensus.judges.llm import form
from consensus.judges.llm.prompt import Prompt
from consensus.v1 import (
    consensus_pb2,
    consensus_pb2_grpc,
    decision_pb2,
    gradient_pb2,
    submission_pb2,
)

_SYSTEM = Prompt("", form.words(digit=False)).system
_FORM = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "strict": True, "schema": form.schema(digit=False)},
}

Ask = Callable[[dict[str, Any]], Awaitable[str]]
"""Takes the parameters of a chat completion, returns what the model wrote."""


class LlmGather(consensus_pb2_grpc.ConsensusServiceServicer):
    """Asks five models and averages."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def _judge(
        self, model: str, submission: submission_pb2.Submission
    ) -> gradient_pb2.GradientResult:
        criteria = "\n".join(f"{c.id} (required): {c.text}" for c in submission.rubric.criteria)
        user = (
            f"The criteria to judge by:\n{criteria}\n\nThe task that the work was to do:\n"
            f"{submission.task}\n\nThe work to judge:\n{submission.candidate}\n\nJudge it now."
        )
        written = await self._ask(
            {
                "model": model,
                "messages": [
                    {"role": "system", "content": _SYSTEM},
                    {"role": "user", "content": user},
                ],
                "max_completion_tokens": 800,
                "temperature": 0.0,
                "response_format": _FORM,
            }
        )
        said = json.loads(written)
        return gradient_pb2.GradientResult(
            score=said["score"], confidence=said["confidence"], reasoning=said["reasoning"]
        )

    async def Judge(  # noqa: N802 - the contract's name
        self, request: consensus_pb2.JudgeRequest, context: object
    ) -> consensus_pb2.JudgeResponse:
        """Ask all and average."""
        gradients = await asyncio.gather(
            *(self._judge(model, request.submission) for model in JUDGES)
        )
        scores = [gradient.score for gradient in gradients]
        mean, variance = statistics.fmean(scores), statistics.pvariance(scores)
        confidence = statistics.fmean(gradient.confidence for gradient in gradients)
        consensus = decision_pb2.Consensus(
            final_score=mean,
            consensus_confidence=0.7 * (1 - min(variance / 0.25, 1)) + 0.3 * confidence,
            individual_results=[
                decision_pb2.SeatResult(judge=judge, weight=1, gradient=gradient)
                for judge, gradient in zip(JUDGES, gradients, strict=True)
            ],
        )
        accepted = mean >= 0.7
        decision = decision_pb2.Decision(
            verdict=decision_pb2.VERDICT_ACCEPT if accepted else decision_pb2.VERDICT_RETRY,
            effective_score=mean,
            stages=[decision_pb2.StageResult(stage="panel", consensus=consensus)],
        )
        return consensus_pb2.JudgeResponse(decision=decision)


def by_sdk(address: str) -> Ask:
    """Ask through the openai package."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=f"http://{address}/v1", api_key="none", max_retries=0)

    async def ask(parameters: dict[str, Any]) -> str:
        completion = await client.chat.completions.create(**parameters)
        return str(completion.choices[0].message.content)

    return ask


def by_aiohttp(address: str) -> Ask:
    """Ask through one session of aiohttp."""
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1_000))
    url = f"http://{address}/v1/chat/completions"
    headers = {"Authorization": "Bearer none"}

    async def ask(parameters: dict[str, Any]) -> str:
        async with session.post(url, json=parameters, headers=headers) as response:
            completion = await response.json()
        return str(completion["choices"][0]["message"]["content"])

    return ask


async def main(variant: str, address: str) -> None:
    """Serve."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    ask = by_sdk(address) if variant == "sdk" else by_aiohttp(address)
    consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(LlmGather(ask), server)
    await serve(server)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
