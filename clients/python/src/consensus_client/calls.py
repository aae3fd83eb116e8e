"""What both clients send and how they read the answers."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from consensus.v1.consensus_pb2 import (
    BatchJudgeRequest,
    BatchJudgeResponse,
    JudgeRequest,
    SeatFinished,
    SeatStarted,
    StageFinished,
    StateChanged,
    StreamJudgeResponse,
)
from consensus.v1.decision_pb2 import Decision
from consensus_client import expect
from consensus_client.errors import ConsensusError
from consensus_client.status import item_error_of

DEFAULT_TIMEOUT_SECONDS = 60.0

Metadata = Mapping[str, str | bytes]
"""Headers of a call, such as `{"traceparent": ...}` (W3C Trace Context). Keys are sent in lower
case; a key that ends in `-bin` takes bytes."""

Event = StateChanged | SeatStarted | SeatFinished | StageFinished | Decision
"""One step of a judgment. The decision comes last."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What a client does with every call unless the call says otherwise."""

    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    metadata: Metadata = field(default_factory=dict)
    """Sent with every call; a call's own metadata replaces equal keys."""

    def __post_init__(self) -> None:
        self.timeout(None)
        checked(self.metadata)

    def of_call(self, timeout_seconds: float | None, metadata: Metadata | None) -> dict[str, Any]:
        """Return what gRPC is told of a call. Raises as `timeout` and `headers` do."""
        return {"timeout": self.timeout(timeout_seconds), "metadata": self.headers(metadata)}

    def timeout(self, wanted: float | None) -> float:
        """Return a call's time-out in seconds.

        Raises ValueError unless finite and above 0, TypeError unless a number.
        """
        seconds = self.timeout_seconds if wanted is None else wanted
        expect.positive("timeout_seconds", seconds)
        return seconds

    def headers(self, more: Metadata | None) -> tuple[tuple[str, str | bytes], ...]:
        """Return a call's metadata. Raises TypeError on other than texts and bytes by name."""
        parts = (self.metadata, checked(more))
        both = {key.lower(): text for part in parts for key, text in part.items()}
        return tuple(both.items())


def checked(metadata: Metadata | None, name: str = "metadata") -> Metadata:
    """Return the metadata. Raises TypeError on other than texts and bytes by name."""
    if metadata is None:
        return {}
    expect.mapping(name, metadata, '{"traceparent": "..."}')
    for key, given in metadata.items():
        expect.text(f"a key of {name}", key)
        expect.typed(f"{name}[{key!r}]", given, str | bytes, "a str or bytes")
    return metadata


def identified(request: JudgeRequest) -> JudgeRequest:
    """Return the request with a request_id, a random UUID where it has none.

    gRPC repeats a call that ends with UNAVAILABLE. With the id the server answers the repetition
    with the decision it has already made; without, it would pay every judge again.
    """
    if request.request_id:
        return request
    copy = JudgeRequest()
    copy.CopyFrom(request)
    copy.request_id = str(uuid.uuid4())
    return copy


def batch_of(requests: Iterable[JudgeRequest]) -> BatchJudgeRequest:
    """Return the requests as one batch, each with a request_id. Raises TypeError on others."""
    requests = list(requests)
    for place, request in enumerate(requests):
        if not isinstance(request, JudgeRequest):
            raise TypeError(
                f"requests[{place}] is of type {type(request).__name__}; "
                "must be a JudgeRequest, from judge_request()"
            )
    return BatchJudgeRequest(requests=[identified(request) for request in requests])


def results_of(response: BatchJudgeResponse) -> list[Decision | ConsensusError]:
    """Return a decision or an error for each item, in request order."""
    return [
        item_error_of(result.error) if result.HasField("error") else result.decision
        for result in response.results
    ]


def event_of(step: StreamJudgeResponse) -> Event | None:
    """Return what happened; None for a kind of step that this version does not know."""
    match step.WhichOneof("event"):
        case "state_changed":
            return step.state_changed
        case "seat_started":
            return step.seat_started
        case "seat_finished":
            return step.seat_finished
        case "stage_finished":
            return step.stage_finished
        case "decision":
            return step.decision
        case _:
            return None
