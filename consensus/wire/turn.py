"""Turns: proto <-> domain."""

from collections.abc import Iterable

from consensus.domain.turn import (
    MAX_ITERATIONS,
    EarlierTurn,
    GoalStatus,
    OutputKey,
    ToolCall,
    Turn,
)
from consensus.v1 import submission_pb2 as pb

GOAL_STATUS_TO = {
    GoalStatus.COMPLETE: pb.GOAL_STATUS_COMPLETE,
    GoalStatus.PARTIAL: pb.GOAL_STATUS_PARTIAL,
    GoalStatus.NOT_YET: pb.GOAL_STATUS_NOT_YET,
    GoalStatus.REFUSAL: pb.GOAL_STATUS_REFUSAL,
    GoalStatus.UNKNOWN: pb.GOAL_STATUS_UNKNOWN,
}
GOAL_STATUS_FROM = {number: status for status, number in GOAL_STATUS_TO.items()}


def turn_from(message: pb.Turn) -> Turn:
    """Return the domain's turn; a goal status that nobody knows reads as none."""
    return Turn(
        iteration=message.iteration,
        max_iterations=(
            message.max_iterations if message.HasField("max_iterations") else MAX_ITERATIONS
        ),
        judge_every_n_turns=(
            message.judge_every_n_turns if message.HasField("judge_every_n_turns") else 1
        ),
        tool_calls=_calls_from(message.tool_calls),
        output_keys=tuple([OutputKey(key.name, key.nullable) for key in message.output_keys]),
        client_facing=message.client_facing,
        success_criteria=message.success_criteria,
        node_description=message.node_description,
        earlier=tuple([_earlier_from(turn) for turn in message.earlier]),
    )


def turn_to(turn: Turn) -> pb.Turn:
    """Return the contract's turn."""
    return pb.Turn(
        iteration=turn.iteration,
        max_iterations=turn.max_iterations,
        judge_every_n_turns=turn.judge_every_n_turns,
        tool_calls=_calls_to(turn.tool_calls),
        output_keys=[pb.OutputKey(name=k.name, nullable=k.nullable) for k in turn.output_keys],
        client_facing=turn.client_facing,
        success_criteria=turn.success_criteria,
        node_description=turn.node_description,
        earlier=[_earlier_to(earlier) for earlier in turn.earlier],
    )


def _earlier_from(message: pb.EarlierTurn) -> EarlierTurn:
    return EarlierTurn(
        text=message.text,
        tool_calls=_calls_from(message.tool_calls),
        criteria_met=message.criteria_met if message.HasField("criteria_met") else None,
        goal_status=GOAL_STATUS_FROM.get(message.goal_status),
        goal_confidence=message.goal_confidence,
    )


def _earlier_to(turn: EarlierTurn) -> pb.EarlierTurn:
    return pb.EarlierTurn(
        text=turn.text,
        tool_calls=_calls_to(turn.tool_calls),
        criteria_met=turn.criteria_met,
        goal_status=(
            GOAL_STATUS_TO[turn.goal_status]
            if turn.goal_status is not None
            else pb.GOAL_STATUS_UNSPECIFIED
        ),
        goal_confidence=turn.goal_confidence,
    )


def _calls_from(calls: Iterable[pb.ToolCall]) -> tuple[ToolCall, ...]:
    return tuple([ToolCall(name=c.name, arguments=c.arguments, failed=c.failed) for c in calls])


def _calls_to(calls: Iterable[ToolCall]) -> list[pb.ToolCall]:
    return [pb.ToolCall(name=c.name, arguments=c.arguments, failed=c.failed) for c in calls]
