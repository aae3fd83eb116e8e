"""The recorder: calls and load, with the names and codes that go-grpc-middleware gave them."""

from collections.abc import Callable

import grpc
import pytest

from consensus.telemetry.recorder import Recorder

CALL = {"grpc_type": "unary", "grpc_service": "s", "grpc_method": "m"}
Value = Callable[..., float | None]
GO_CODES = {
    "OK": "OK",
    "CANCELLED": "Canceled",
    "UNKNOWN": "Unknown",
    "INVALID_ARGUMENT": "InvalidArgument",
    "DEADLINE_EXCEEDED": "DeadlineExceeded",
    "NOT_FOUND": "NotFound",
    "ALREADY_EXISTS": "AlreadyExists",
    "PERMISSION_DENIED": "PermissionDenied",
    "RESOURCE_EXHAUSTED": "ResourceExhausted",
    "FAILED_PRECONDITION": "FailedPrecondition",
    "ABORTED": "Aborted",
    "OUT_OF_RANGE": "OutOfRange",
    "UNIMPLEMENTED": "Unimplemented",
    "INTERNAL": "Internal",
    "UNAVAILABLE": "Unavailable",
    "DATA_LOSS": "DataLoss",
    "UNAUTHENTICATED": "Unauthenticated",
}


@pytest.mark.parametrize("code", grpc.StatusCode, ids=lambda code: code.name)
def test_codes_are_spelled_as_in_go(
    recorder: Recorder, value: Value, code: grpc.StatusCode
) -> None:
    recorder.call_handled("unary", "s", "m", code.name, 0.01)
    spelled = GO_CODES[code.name]
    assert value("grpc_server_handled_total", **CALL, grpc_code=spelled) == 1


def test_a_call_counts_when_it_comes_when_it_ends_and_what_it_carries(
    recorder: Recorder, value: Value
) -> None:
    recorder.call_started("unary", "s", "m")
    assert value("grpc_server_started_total", **CALL) == 1
    assert value("grpc_server_msg_received_total", **CALL) == 1
    assert value("grpc_server_handling_seconds_count", **CALL) is None
    recorder.call_handled("unary", "s", "m", "OK", 2.0)
    recorder.call_handled("unary", "s", "m", "INTERNAL", 1.0)
    assert value("grpc_server_handling_seconds_sum", **CALL) == 3.0
    assert value("grpc_server_msg_sent_total", **CALL) == 1


def test_a_stream_counts_its_messages_one_by_one(recorder: Recorder, value: Value) -> None:
    labels = CALL | {"grpc_type": "server_stream"}
    recorder.call_handled("server_stream", "s", "m", "OK", 1.0)
    assert value("grpc_server_msg_sent_total", **labels) is None
    recorder.message_sent("server_stream", "s", "m")
    recorder.message_sent("server_stream", "s", "m")
    assert value("grpc_server_msg_sent_total", **labels) == 2


def test_load_is_shown_as_it_is(recorder: Recorder, value: Value) -> None:
    for judgments in (1, 2, 1):
        recorder.inflight(judgments)
    recorder.shed("overloaded")
    recorder.budget(4.5)
    recorder.loop_lag(0.02)
    recorder.replayed()
    recorder.log_dropped()
    assert value("consensus_inflight") == 1
    assert value("consensus_shed_total", reason="overloaded") == 1
    assert value("consensus_deadline_budget_seconds_sum") == 4.5
    assert value("consensus_event_loop_lag_seconds_bucket", le="0.05") == 1
    assert value("consensus_event_loop_lag_seconds_bucket", le="0.01") == 0
    assert value("consensus_idempotent_replays_total") == 1
    assert value("consensus_logs_dropped_total") == 1
