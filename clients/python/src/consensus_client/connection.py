"""How a client reaches the servers: balancing, retries, health, keepalive, sizes.

Each value's reason: docs/decisions, and the comments here.
"""

import json
from collections.abc import Mapping, Sequence

SERVICE = "consensus.v1.ConsensusService"
MAX_RECEIVE_BYTES = 8 << 20
"""As much as a server sends; gRPC's own default, 4 MiB, cuts a full batch off."""

SERVICE_CONFIG: Mapping[str, object] = {
    # Spreads calls over every address that the target's name has: with Kubernetes, over the pods
    # behind a headless Service.
    "loadBalancingConfig": [{"round_robin": {}}],
    # Each address is asked for its readiness and left out while it drains. gRPC's core does this
    # by itself: nothing to import, and a server without the health service counts as healthy.
    "healthCheckConfig": {"serviceName": SERVICE},
    "methodConfig": [
        {
            "name": [{"service": SERVICE}],
            # No "timeout" here: it would cut every longer `timeout_seconds` short.
            "retryPolicy": {
                "maxAttempts": 3,
                "initialBackoff": "0.2s",
                "maxBackoff": "2s",
                "backoffMultiplier": 2,
                # Not processed, or lost on the way, which is why requests have an id. Any other
                # status would come back again, and each attempt costs judges' money.
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ],
    # No more retries after five failures in a row, until ten successes have paid for the next, so
    # that retries don't keep an overloaded fleet down.
    "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
}

DEFAULT_OPTIONS: Mapping[str, str | int] = {
    "grpc.service_config": json.dumps(SERVICE_CONFIG),
    "grpc.max_receive_message_length": MAX_RECEIVE_BYTES,
    # Judges may think for a minute in silence, and load balancers drop what is silent for one.
    # The server allows a ping every 10 s; gRPC's own default allows one every 300 s.
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 20_000,
}

Option = tuple[str, str | int]


def channel_options(changes: Sequence[Option] = ()) -> list[Option]:
    """Return the channel arguments; `changes` add to the defaults or replace them."""
    return list({**DEFAULT_OPTIONS, **dict(changes)}.items())


def probe_options(changes: Sequence[Option] = ()) -> list[Option]:
    """Return the arguments of a channel that asks for health.

    Without health checking of its own: that would refuse to talk to a server that is not serving,
    so one could never be told so.
    """
    return channel_options([*changes, ("grpc.service_config", "{}")])
