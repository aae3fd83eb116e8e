"""A consensus server that answers what a test wants."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import grpc

from consensus.v1.consensus_pb2 import (
    BatchJudgeRequest,
    BatchJudgeResponse,
    BatchJudgeResult,
    JudgeRequest,
    JudgeResponse,
    ListPoliciesRequest,
    ListPoliciesResponse,
    PolicySummary,
    StreamJudgeRequest,
    StreamJudgeResponse,
)
from consensus.v1.decision_pb2 import Decision
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest, JudgeToolCallResponse
from consensus_client.connection import SERVICE
from consensus_client.testing.answers import Answer, Script, ScriptedError
from consensus_client.testing.decisions import accept, completed, steps
from consensus_client.testing.refusals import abort, item_error
from consensus_client.testing.server import Context, LocalServer, unary
from consensus_client.testing.tool_calls import ToolCallAnswer, allow

ConsensusAnswer: TypeAlias = Answer[Decision, JudgeRequest]
"""A decision, `error(...)`, `delayed(...)`, `hang()`, or a function from the request."""


class FakeConsensus(LocalServer):
    """A real server on 127.0.0.1 with scripted decisions, for tests of what calls ConsensusService.

    with FakeConsensus(retry("Name the source."), accept()) as fake:
        with ConsensusClient(fake.target) as client:
            ...
    assert fake.requests[0].submission.task == "..."

    `answers` are given in turn, the last one repeats; ACCEPT where there are none. Each item of a
    batch takes an answer of its own. Identity, policy name and time of a decision are filled in
    where they are not set, and a derived rubric of one criterion where one is asked for. Nothing in
    a request is checked and no request_id is remembered.
    `tool_calls`: answers to JudgeToolCall, in turn as well; `allow()` where there are none.
    `policies`: what ListPolicies answers. `serving`: what the health service says.
    """

    def __init__(
        self,
        *answers: ConsensusAnswer,
        tool_calls: Sequence[ToolCallAnswer] = (),
        policies: Sequence[PolicySummary] = (),
        serving: bool = True,
    ) -> None:
        super().__init__(serving)
        self._script: Script[JudgeRequest, Decision] = Script(answers or (accept(),))
        self._tool_calls: Script[JudgeToolCallRequest, JudgeToolCallResponse] = Script(
            tool_calls or (allow(),)
        )
        self._policies = list(policies) or [
            PolicySummary(name="default", revision=f"sha256:{'0' * 16}", default=True, enabled=True)
        ]

    def script(self, *answers: ConsensusAnswer) -> None:
        """Answer with these from now on. Raises ValueError when there are none."""
        self._script.rewrite(answers)

    @property
    def requests(self) -> list[JudgeRequest]:
        """Every request to judge, in order of arrival; retries and the items of batches too."""
        found: list[JudgeRequest] = []
        for call in self.calls:
            match call.request:
                case JudgeRequest() as request:
                    found.append(request)
                case StreamJudgeRequest() as streamed:
                    found.append(streamed.request)
                case BatchJudgeRequest() as batch:
                    found.extend(batch.requests)
                case _:
                    pass
        return found

    @property
    def tool_call_requests(self) -> list[JudgeToolCallRequest]:
        """Every tool call to judge, in order of arrival; retries too."""
        return [c.request for c in self.calls if isinstance(c.request, JudgeToolCallRequest)]

    def _handlers(self) -> list[grpc.GenericRpcHandler]:
        methods = {
            "Judge": unary(self._judge, JudgeRequest),
            "BatchJudge": unary(self._batch, BatchJudgeRequest),
            "JudgeToolCall": unary(self._judge_tool_call, JudgeToolCallRequest),
            "ListPolicies": unary(self._list, ListPoliciesRequest),
            "StreamJudge": grpc.unary_stream_rpc_method_handler(
                self._stream,
                request_deserializer=StreamJudgeRequest.FromString,
                response_serializer=StreamJudgeResponse.SerializeToString,
            ),
        }
        return [grpc.method_handlers_generic_handler(SERVICE, methods)]

    def _judge(self, request: JudgeRequest, context: Context) -> JudgeResponse:
        answer = self._script.answer(request, self._record("Judge", request, context))
        if isinstance(answer, ScriptedError):
            abort(context, answer)
        return JudgeResponse(decision=completed(answer, request))

    def _stream(
        self, request: StreamJudgeRequest, context: Context
    ) -> Iterator[StreamJudgeResponse]:
        ended = self._record("StreamJudge", request, context)
        answer = self._script.answer(request.request, ended)
        if isinstance(answer, ScriptedError):
            abort(context, answer)
        yield from steps(completed(answer, request.request))

    def _batch(self, request: BatchJudgeRequest, context: Context) -> BatchJudgeResponse:
        ended = self._record("BatchJudge", request, context)
        results = []
        for item in request.requests:
            answer = self._script.answer(item, ended)
            if isinstance(answer, ScriptedError):
                results.append(BatchJudgeResult(error=item_error(answer)))
            else:
                results.append(BatchJudgeResult(decision=completed(answer, item)))
        return BatchJudgeResponse(results=results)

    def _judge_tool_call(
        self, request: JudgeToolCallRequest, context: Context
    ) -> JudgeToolCallResponse:
        ended = self._record("JudgeToolCall", request, context)
        answer = self._tool_calls.answer(request, ended)
        if isinstance(answer, ScriptedError):
            abort(context, answer)
        return answer

    def _list(self, request: ListPoliciesRequest, context: Context) -> ListPoliciesResponse:
        self._record("ListPolicies", request, context)
        return ListPoliciesResponse(policies=self._policies)
