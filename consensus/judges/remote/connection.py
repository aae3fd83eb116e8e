"""Judges behind gRPC: one channel to one backend."""

import asyncio
import json
import math

import grpc.aio

from consensus.domain.judges import JudgeSpec
from consensus.judges.remote.credentials import Credentials
from consensus.judges.remote.failures import MAX_REPLY_BYTES

SERVICE = "consensus.v1.JudgeService"
TRIAL_SECONDS = 600.0
"""How long a backend that has said that it takes no batches gets none; for as long after that it
gets one at a time. So replicas of mixed versions cost at most one refused call in this time, and
one that was upgraded has its batches back."""
_OPTIONS: list[tuple[str, str | int]] = [
    ("grpc.max_receive_message_length", MAX_REPLY_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.enable_retries", 0),
    # A channel made anew, after a reload, connects anew: it inherits no pause after failures.
    ("grpc.use_local_subchannel_pool", 1),
]

Call = grpc.aio.UnaryUnaryCall[bytes, bytes]
Method = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]


class Connection:
    """A channel and its methods: bytes in, bytes out."""

    def __init__(self, spec: JudgeSpec, credentials: Credentials | None) -> None:
        """Make the channel; it connects on the first call. Must run inside the event loop."""
        self._channel = _channel(spec, credentials)
        self.evaluate: Method = self._channel.unary_unary(f"/{SERVICE}/Evaluate")
        self.evaluate_batch: Method = self._channel.unary_unary(f"/{SERVICE}/EvaluateBatch")
        self.describe: Method = self._channel.unary_unary(f"/{SERVICE}/DescribeJudge")
        self._loop = asyncio.get_running_loop()
        self._batches = spec.batch.max_items > 1
        self._refused_at = -math.inf
        self.batches_under_way = 0

    @property
    def batches(self) -> bool:
        """Whether a batch may be sent now, as far as is known."""
        if self._refused_at == -math.inf or not self._batches:
            return self._batches
        since = self._loop.time() - self._refused_at
        if since < TRIAL_SECONDS:
            return False
        return since >= 2 * TRIAL_SECONDS or not self.batches_under_way

    def refuse_batches(self) -> None:
        """Note that the backend has just said that it takes no batches."""
        self._refused_at = self._loop.time()

    async def close(self) -> None:
        """Close the channel and end its calls."""
        await self._channel.close()


def _channel(spec: JudgeSpec, credentials: Credentials | None) -> grpc.aio.Channel:
    config: dict[str, object] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if spec.health_check:
        config["healthCheckConfig"] = {"serviceName": SERVICE}
    options = [*_OPTIONS, ("grpc.service_config", json.dumps(config))]
    if credentials is None:
        return grpc.aio.insecure_channel(spec.target, options)
    if spec.tls_server_name:
        options.append(("grpc.ssl_target_name_override", spec.tls_server_name))
    return grpc.aio.secure_channel(spec.target, credentials.for_channel(), options)
