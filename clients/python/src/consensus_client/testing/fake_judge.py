"""A judge backend that answers what a test wants."""

from typing import TypeAlias

import grpc

from consensus.v1.gradient_pb2 import Abstention, GradientResult
from consensus.v1.judge_pb2 import (
    DescribeJudgeRequest,
    DescribeJudgeResponse,
    EvaluateBatchRequest,
    EvaluateBatchResponse,
    EvaluateBatchResult,
    EvaluateRequest,
    EvaluateResponse,
)
from consensus_client.testing.answers import Answer, Script, ScriptedError
from consensus_client.testing.refusals import abort, item_error
from consensus_client.testing.server import Context, LocalServer, unary

SERVICE = "consensus.v1.JudgeService"

JudgeReply: TypeAlias = GradientResult | Abstention | EvaluateResponse
"""An empty EvaluateResponse breaks the contract: a server counts the seat as unreadable."""
JudgeAnswer: TypeAlias = Answer[JudgeReply, EvaluateRequest]
"""A reply, `error(...)`, `delayed(...)`, `hang()`, or a function from the request."""


def gradient(
    score: float, confidence: float = 1.0, reasoning: str = "As scripted."
) -> GradientResult:
    """Answer with a score. Both from 0 to 1; others break the contract, which may be the point."""
    return GradientResult(score=score, confidence=confidence, reasoning=reasoning)


def abstention(reason: str = "As scripted.") -> Abstention:
    """Answer that the judge cannot tell."""
    return Abstention(reason=reason)


class FakeJudge(LocalServer):
    """A real server on 127.0.0.1 with scripted judgments, for tests of policies with remote judges.

    with FakeJudge(gradient(0.9), abstention(), hang()) as judge:
        judges = {"style": {"kind": "remote", "target": judge.target}}  # of the policy file

    `answers` are given in turn, the last one repeats; a gradient of 1 where there are none. Each
    item of a batch takes an answer of its own; with `batches=False` EvaluateBatch is
    UNIMPLEMENTED. Nothing in a request is checked. `serving`: what the health service says.
    """

    def __init__(self, *answers: JudgeAnswer, batches: bool = True, serving: bool = True) -> None:
        super().__init__(serving)
        self._batches = batches
        self._script: Script[EvaluateRequest, JudgeReply] = Script(answers or (gradient(1.0),))

    def script(self, *answers: JudgeAnswer) -> None:
        """Answer with these from now on. Raises ValueError when there are none."""
        self._script.rewrite(answers)

    @property
    def requests(self) -> list[EvaluateRequest]:
        """Every submission to judge, in order of arrival; the items of batches too."""
        found: list[EvaluateRequest] = []
        for call in self.calls:
            if isinstance(call.request, EvaluateBatchRequest):
                found.extend(call.request.requests)
            elif isinstance(call.request, EvaluateRequest):
                found.append(call.request)
        return found

    def _handlers(self) -> list[grpc.GenericRpcHandler]:
        methods = {
            "Evaluate": unary(self._evaluate, EvaluateRequest),
            "DescribeJudge": unary(self._describe, DescribeJudgeRequest),
        }
        if self._batches:
            methods["EvaluateBatch"] = unary(self._batch, EvaluateBatchRequest)
        return [grpc.method_handlers_generic_handler(SERVICE, methods)]

    def _evaluate(self, request: EvaluateRequest, context: Context) -> EvaluateResponse:
        answer = self._script.answer(request, self._record("Evaluate", request, context))
        if isinstance(answer, ScriptedError):
            abort(context, answer)
        return _response(answer)

    def _batch(self, request: EvaluateBatchRequest, context: Context) -> EvaluateBatchResponse:
        ended = self._record("EvaluateBatch", request, context)
        results = []
        for item in request.requests:
            answer = self._script.answer(item, ended)
            if isinstance(answer, ScriptedError):
                results.append(EvaluateBatchResult(error=item_error(answer)))
            else:
                results.append(EvaluateBatchResult(response=_response(answer)))
        return EvaluateBatchResponse(results=results)

    def _describe(self, request: DescribeJudgeRequest, context: Context) -> DescribeJudgeResponse:
        self._record("DescribeJudge", request, context)
        return DescribeJudgeResponse(
            judge=request.judge or "fake", kind="fake", description="Answers as scripted."
        )


def _response(reply: JudgeReply) -> EvaluateResponse:
    match reply:
        case GradientResult():
            return EvaluateResponse(gradient=reply)
        case Abstention():
            return EvaluateResponse(abstention=reply)
        case EvaluateResponse():
            return reply
