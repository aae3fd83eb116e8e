"""Executions: domain -> proto."""

import datetime
import math

from consensus.domain.decision import Verdict
from consensus.domain.execution import STATE_AFTER, ChildExecution, ExecutionState
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2

STATE_TO = {
    ExecutionState.RUNNING: decision_pb2.EXECUTION_STATE_RUNNING,
    ExecutionState.VALIDATING: decision_pb2.EXECUTION_STATE_VALIDATING,
    ExecutionState.REFINING: decision_pb2.EXECUTION_STATE_REFINING,
    ExecutionState.SUCCESS: decision_pb2.EXECUTION_STATE_SUCCESS,
    ExecutionState.FAILED: decision_pb2.EXECUTION_STATE_FAILED,
}
STATE_FROM = {number: state for state, number in STATE_TO.items()}
STATE_AFTER_TO = {verdict: STATE_TO[STATE_AFTER[verdict]] for verdict in Verdict}


def state_changed_to(state: ExecutionState, moment: datetime.datetime) -> pb.StateChanged:
    """Return the contract's change to a state."""
    return pb.StateChanged(state=STATE_TO[state], time=timestamp_fields(moment))


def child_to(child: ChildExecution) -> pb.ChildExecution:
    """Return the contract's execution of a judge's call."""
    ended = child.end_time
    return pb.ChildExecution(
        execution_id=child.execution_id,
        parent_decision_id=child.place.parent_decision_id,
        depth=child.place.depth,
        path=child.place.path,
        start_time=timestamp_fields(child.start_time),
        end_time=None if ended is None else timestamp_fields(ended),
    )


def timestamp_fields(moment: datetime.datetime) -> dict[str, int]:
    """Return the contract's timestamp as keyword arguments."""
    return {"seconds": math.floor(moment.timestamp()), "nanos": moment.microsecond * 1_000}
