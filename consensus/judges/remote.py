"""Judges behind gRPC: anything that serves `consensus.v1.JudgeService`, in any language.

One channel for each judge, made once. A status other than OK fails the seat, with its kind; the
reason names the status and never repeats the backend's text, which may hold judged content.
"""

import asyncio
import ssl
from pathlib import Path
from typing import Literal

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from consensus.domain.decision import MAX_DEPTH
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import JudgeSpec
from consensus.domain.ports import Evaluation
from consensus.v1 import judge_pb2
from consensus.wire.decision import hierarchy_to
from consensus.wire.gradient import answer_from
from consensus.wire.submission import submission_to

METHOD = "/consensus.v1.JudgeService/Evaluate"
MAX_REPLY_BYTES = 4 << 20
_SUBMISSION = "remote.submission"
_OVERLOAD = (grpc.StatusCode.RESOURCE_EXHAUSTED,)
_TOO_LARGE = "message larger than max"
"""What gRPC says at either end when a message is above its limit; there is no status for it."""
_OPTIONS = [
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.max_receive_message_length", MAX_REPLY_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.enable_retries", 0),
]


class RemoteJudge:
    """One judge of one backend."""

    kind = "remote"
    waits: Literal[True] = True

    def __init__(self, spec: JudgeSpec) -> None:
        """Make the channel; it connects on the first call. Must run inside the event loop."""
        self.name = spec.name
        self.description = f"{spec.remote_judge or 'default'} at {spec.target}"
        self._judge = spec.remote_judge
        self._channel = _channel(spec)
        # Without serialisers: bytes in, bytes out.
        self._evaluate: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(
            METHOD
        )

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask the backend. Raises JudgeFailed."""
        if evaluation.hierarchy.depth > MAX_DEPTH:
            path = " > ".join(evaluation.hierarchy.path)
            words = f"DEPTH_EXCEEDED: depth {MAX_DEPTH} is the last ({path})"
            raise JudgeFailed(FailureKind.ERROR, words)
        try:
            reply = await self._evaluate(self._request(evaluation), timeout=timeout_seconds)
        except grpc.aio.AioRpcError as error:
            raise _failure(error.code(), error.details() or "") from None
        except grpc.aio.UsageError:  # closed before the call
            raise _closed() from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise _closed() from None  # during the call: nobody cancelled this task
        try:
            answer = answer_from(judge_pb2.EvaluateResponse.FromString(reply))
        except DecodeError:
            raise JudgeFailed(FailureKind.UNREADABLE, "the reply is not the contract's") from None
        if answer is None:
            words = "the reply holds neither gradient nor abstention, or an unknown status"
            raise JudgeFailed(FailureKind.UNREADABLE, words)
        return answer

    async def close(self, grace_seconds: float) -> None:
        """Close the channel once its calls are done, or after `grace_seconds`."""
        await self._channel.close(grace_seconds)

    def _request(self, evaluation: Evaluation) -> bytes:
        """Return the encoded EvaluateRequest; the submission is encoded once for all seats.

        Encoded messages concatenate: fields of the one, then fields of the other.
        """
        encoded = evaluation.memo.get(_SUBMISSION)
        if not isinstance(encoded, bytes):
            request = judge_pb2.EvaluateRequest(
                submission=submission_to(evaluation.submission),
                hierarchy=hierarchy_to(evaluation.hierarchy),
            )
            encoded = evaluation.memo[_SUBMISSION] = request.SerializeToString()
        return judge_pb2.EvaluateRequest(judge=self._judge).SerializeToString() + encoded


def _channel(spec: JudgeSpec) -> grpc.aio.Channel:
    if not spec.tls:
        return grpc.aio.insecure_channel(spec.target, _OPTIONS)
    roots = Path(spec.tls_ca_file).read_bytes() if spec.tls_ca_file else _system_roots()
    options = list(_OPTIONS)
    if spec.tls_server_name:
        options.append(("grpc.ssl_target_name_override", spec.tls_server_name))
    credentials = grpc.ssl_channel_credentials(root_certificates=roots)
    return grpc.aio.secure_channel(spec.target, credentials, options)


def _system_roots() -> bytes | None:
    """Return the system's certificates; gRPC's own list knows no private authority."""
    file = ssl.get_default_verify_paths().cafile
    return Path(file).read_bytes() if file and Path(file).is_file() else None


def _closed() -> JudgeFailed:
    return JudgeFailed(FailureKind.ERROR, "the connection is closed")


def _failure(code: grpc.StatusCode, details: str) -> JudgeFailed:
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return JudgeFailed(FailureKind.TIMEOUT, "the backend did not answer in time")
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and _TOO_LARGE in details:
        if "CLIENT" in details:
            words = f"the reply is larger than {MAX_REPLY_BYTES} bytes"
            return JudgeFailed(FailureKind.UNREADABLE, words)
        return JudgeFailed(FailureKind.ERROR, "the submission is larger than the backend takes")
    kind = FailureKind.OVERLOADED if code in _OVERLOAD else FailureKind.ERROR
    return JudgeFailed(kind, f"the backend answered {code.name}")
