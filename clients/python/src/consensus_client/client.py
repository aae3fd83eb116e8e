"""The client for programs without an event loop."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, Self

import grpc

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
from consensus_client.channel import opener
from consensus_client.connection import SERVICE, Option, channel_options, probe_options
from consensus_client.errors import ConsensusError, closed
from consensus_client.health import ServingStatus, check_on
from consensus_client.status import error_of
from consensus_client.submissions import judge_request


class ConsensusClient:
    """Asks a consensus service; one client serves all threads of a process.

    `target`: such as `dns:///consensus:50051`, where the name has the addresses of all servers
    (with Kubernetes: a headless Service). `credentials`: such as `grpc.ssl_channel_credentials()`;
    None: plain text. `timeout_seconds`: of every call that gives none of its own, all retries
    included; above 0, default 60. The server allows itself 120 at most and answers with what it
    has shortly before the time is up. `metadata`: headers of every call, such as a token.
    `options`: gRPC channel arguments, which add to those of `consensus_client.connection` or
    replace them.

    Every method raises ConsensusError; `consensus_client.errors` has the tree. A call that ends
    with UNAVAILABLE is tried up to three times. Connects on the first call. Close it, or use it in
    a `with` block.
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
        self._habits = Habits(timeout_seconds, metadata or {})
        expect.text("target", target, such_as="dns:///consensus:50051")
        self._open = opener(target, credentials)
        self._options = tuple(options)
        self._channel = self._open(channel_options(self._options))
        self._stub = ConsensusServiceStub(self._channel)
        self._closed = False

    def judge(
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
        """Return the decision on one submission.

        `policy`: empty means the server's default. `request_id`: at most 36 ASCII characters; the
        same id with the same content is answered with the same decision for 10 minutes. None: a
        random UUID, so that gRPC's retries are safe. The others are as for `judge_request()`.
        """
        request = judge_request(
            submission,
            policy=policy,
            overrides=overrides,
            request_id=request_id,
            derive_criteria=derive_criteria,
            max_cost_usd=max_cost_usd,
            include_validation_results=include_validation_results,
        )
        reply: JudgeResponse = self._call(
            self._stub.Judge, identified(request), timeout_seconds, metadata
        )
        return reply.decision

    def stream_judge(
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
    ) -> Generator[Event, None, None]:
        """Yield every step of a judgment; the decision is the last.

        The call starts with the first step that is asked for. To leave early, `close()` the
        generator (or use `contextlib.closing`): that cancels the call.
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
        with self._errors():
            call = self._stub.StreamJudge(
                request, **self._habits.of_call(timeout_seconds, metadata)
            )
            try:
                for step in call:
                    event = event_of(step)
                    if event is not None:
                        yield event
            finally:
                call.cancel()

    def batch_judge(
        self,
        requests: Iterable[JudgeRequest],
        *,
        timeout_seconds: float | None = None,
        metadata: Metadata | None = None,
    ) -> list[Decision | ConsensusError]:
        """Return a decision or an error for each of 1 to 1,000 requests, in order.

        Errors of single items are returned, not raised. Make requests with `judge_request()`.
        """
        reply: BatchJudgeResponse = self._call(
            self._stub.BatchJudge, batch_of(requests), timeout_seconds, metadata
        )
        return results_of(reply)

    def judge_tool_call(
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
        reply: JudgeToolCallResponse = self._call(
            self._stub.JudgeToolCall, request, timeout_seconds, metadata
        )
        return reply

    def list_policies(
        self, *, timeout_seconds: float | None = None, metadata: Metadata | None = None
    ) -> list[PolicySummary]:
        """Return the policies as loaded, in the order of the server's file."""
        reply: ListPoliciesResponse = self._call(
            self._stub.ListPolicies, ListPoliciesRequest(), timeout_seconds, metadata
        )
        return list(reply.policies)

    def health(
        self, service: str = SERVICE, *, timeout_seconds: float | None = None
    ) -> ServingStatus:
        """Return what one server behind the target says of `service`; "" asks for liveness.

        Asks over a connection of its own. Raises UnavailableError where nobody answers.
        """
        with self._errors(), self._open(probe_options(self._options)) as channel:
            try:
                return check_on(channel)(service, **self._habits.of_call(timeout_seconds, None))
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    return ServingStatus.SERVICE_UNKNOWN
                raise

    def close(self) -> None:
        """Close the connections. Calls under way end with CallCancelledError."""
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    def _call(
        self,
        method: Callable[..., Any],
        request: object,
        timeout_seconds: float | None,
        metadata: Metadata | None,
    ) -> Any:
        with self._errors():
            return method(request, **self._habits.of_call(timeout_seconds, metadata))

    @contextmanager
    def _errors(self) -> Generator[None, None, None]:
        self._require_open()
        try:
            yield
        except ValueError as error:
            if self._closed:  # by another thread, just now
                raise closed() from error
            raise
        except grpc.RpcError as error:
            if self._closed and error.code() is grpc.StatusCode.CANCELLED:
                raise closed() from error
            raise error_of(error) from error

    def _require_open(self) -> None:
        if self._closed:
            raise closed()
