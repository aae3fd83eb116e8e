"""The client for asyncio programs."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, Self

import grpc
import grpc.aio

from consensus.v1.consensus_pb2 import (
    BatchJudgeResponse,
    DeriveCriteria,
    JudgeRequest,
    JudgeResponse,
    ListPoliciesRequest,
    ListPoliciesResponse,
    Overrides,
    PolicySummary,
    StreamJudgeRequest,
)
from consensus.v1.consensus_pb2_grpc import ConsensusServiceStub
from consensus.v1.decision_pb2 import Decision
from consensus.v1.submission_pb2 import Submission
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest, JudgeToolCallResponse
from consensus_client import expect
from consensus_client.calls import (
    DEFAULT_TIMEOUT_SECONDS,
    Event,
    Habits,
    Metadata,
    batch_of,
    event_of,
    identified,
    results_of,
)
from consensus_client.channel import async_opener
from consensus_client.connection import SERVICE, Option, channel_options, probe_options
from consensus_client.errors import ConsensusError, closed
from consensus_client.health import ServingStatus, check_on
from consensus_client.status import error_of
from consensus_client.submissions import judge_request


class AsyncConsensusClient:
    """Asks a consensus service from one event loop; make it inside that loop.

    Takes the arguments of ConsensusClient and keeps its promises: every method raises
    ConsensusError, a call that ends with UNAVAILABLE is tried up to three times, and nothing
    connects before the first call. Cancelling a task cancels its call, on the server too, and
    raises asyncio.CancelledError as always. Close it, or use it in an `async with` block.
    """

    def __init__(
        self,
        target: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        metadata: Metadata | None = None,
        options: Sequence[Option] = (),
    ) -> None:
        asyncio.get_running_loop()  # RuntimeError here rather than a riddle in the first call
        self._habits = Habits(timeout_seconds, metadata or {})
        expect.text("target", target, such_as="dns:///consensus:50051")
        self._open = async_opener(target, credentials)
        self._options = tuple(options)
        self._channel = self._open(channel_options(self._options))
        self._stub = ConsensusServiceStub(self._channel)
        self._closed = False
        self._calls: set[grpc.aio.Call] = set()

    async def judge(
        self,
        submission: Submission,
        *,
        policy: str = "",
        overrides: Overrides | None = None,
        request_id: str | None = None,
        derive_criteria: DeriveCriteria | None = None,
        max_cost_usd: float | None = None,
        include_validation_results: bool = False,
        timeout_seconds: float | None = None,
        metadata: Metadata | None = None,
    ) -> Decision:
        """Return the decision on one submission; arguments are as for ConsensusClient.judge()."""
        request = judge_request(
            submission,
            policy=policy,
            overrides=overrides,
            request_id=request_id,
            derive_criteria=derive_criteria,
            max_cost_usd=max_cost_usd,
            include_validation_results=include_validation_results,
        )
        reply: JudgeResponse = await self._call(
            self._stub.Judge, identified(request), timeout_seconds, metadata
        )
        return reply.decision

    async def stream_judge(
        self,
        submission: Submission,
        *,
        policy: str = "",
        overrides: Overrides | None = None,
        derive_criteria: DeriveCriteria | None = None,
        max_cost_usd: float | None = None,
        include_validation_results: bool = False,
        timeout_seconds: float | None = None,
        metadata: Metadata | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Yield every step of a judgment; the decision is the last.

        The call starts with the first step that is asked for. To leave early, `aclose()` the
        generator (or use `contextlib.aclosing`): that cancels the call.
        """
        request = StreamJudgeRequest(
            request=judge_request(
                submission,
                policy=policy,
                overrides=overrides,
                derive_criteria=derive_criteria,
                max_cost_usd=max_cost_usd,
                include_validation_results=include_validation_results,
            )
        )
        with (
            self._errors(),
            self._begun(self._stub.StreamJudge, request, timeout_seconds, metadata) as call,
        ):
            async for step in call:
                event = event_of(step)
                if event is not None:
                    yield event

    async def batch_judge(
        self,
        requests: Iterable[JudgeRequest],
        *,
        timeout_seconds: float | None = None,
        metadata: Metadata | None = None,
    ) -> list[Decision | ConsensusError]:
        """Return a decision or an error for each request, as ConsensusClient.batch_judge()."""
        reply: BatchJudgeResponse = await self._call(
            self._stub.BatchJudge, batch_of(requests), timeout_seconds, metadata
        )
        return results_of(reply)

    async def judge_tool_call(
        self,
        request: JudgeToolCallRequest,
        *,
        timeout_seconds: float | None = None,
        metadata: Metadata | None = None,
    ) -> JudgeToolCallResponse:
        """Return whether a tool call may run, and what to tell the worker where it may not.

        Make the request with `tool_call_request()`. An error means that it may not run, either.
        """
        expect.typed("request", request, JudgeToolCallRequest, "one, of tool_call_request()")
        reply: JudgeToolCallResponse = await self._call(
            self._stub.JudgeToolCall, request, timeout_seconds, metadata
        )
        return reply

    async def list_policies(
        self, *, timeout_seconds: float | None = None, metadata: Metadata | None = None
    ) -> list[PolicySummary]:
        """Return the policies as loaded, in the order of the server's file."""
        reply: ListPoliciesResponse = await self._call(
            self._stub.ListPolicies, ListPoliciesRequest(), timeout_seconds, metadata
        )
        return list(reply.policies)

    async def health(
        self, service: str = SERVICE, *, timeout_seconds: float | None = None
    ) -> ServingStatus:
        """Return what one server behind the target says of `service`; "" asks for liveness.

        Asks over a connection of its own. Raises UnavailableError where nobody answers.
        """
        with self._errors():
            async with self._open(probe_options(self._options)) as channel:
                told = self._habits.of_call(timeout_seconds, None)
                try:
                    return await check_on(channel)(service, **told)
                except grpc.RpcError as error:
                    if error.code() is grpc.StatusCode.NOT_FOUND:
                        return ServingStatus.SERVICE_UNKNOWN
                    raise

    async def close(self) -> None:
        """Close the connections. Calls under way end with CallCancelledError."""
        self._closed = True
        for call in list(self._calls):  # the channel itself forgets a stream that nobody awaits
            call.cancel()
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *why: object) -> None:
        await self.close()

    async def _call(
        self,
        method: Callable[..., Any],
        request: object,
        timeout_seconds: float | None,
        metadata: Metadata | None,
    ) -> Any:
        with self._errors(), self._begun(method, request, timeout_seconds, metadata) as call:
            return await call

    @contextmanager
    def _begun(
        self,
        method: Callable[..., Any],
        request: object,
        timeout_seconds: float | None,
        metadata: Metadata | None,
    ) -> Generator[Any, None, None]:
        """Begin a call that ends with the block, or when the client is closed."""
        call = method(request, **self._habits.of_call(timeout_seconds, metadata))
        self._calls.add(call)
        try:
            yield call
        finally:
            self._calls.discard(call)
            call.cancel()

    @contextmanager
    def _errors(self) -> Generator[None, None, None]:
        self._require_open()
        try:
            yield
        except asyncio.CancelledError:
            # Closing the channel cancels its calls; that must not look like the task's own end.
            task = asyncio.current_task()
            if self._closed and task is not None and not task.cancelling():
                raise closed() from None
            raise
        except grpc.RpcError as error:
            raise error_of(error) from error

    def _require_open(self) -> None:
        if self._closed:
            raise closed()
