"""What the judges are told of a run of turns, and what is kept of each turn for that."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from consensus.v1 import submission_pb2 as pb
from consensus_client import expect
from consensus_client.loop.state import LoopState
from consensus_client.turns import turn

MAX_TOLD_ITERATIONS = 10_000
"""The contract's bound; a loop that may go on for longer says so many."""


@dataclass(frozen=True, slots=True)
class Step:
    """What the worker's step is, for policies whose guards look at turns.

    Raises TypeError and ValueError on values that cannot be meant.
    """

    output_keys: Sequence[str | pb.OutputKey] = ()
    """The outputs that the worker should set; `OutputKey(..., nullable=True)` may stay unset."""
    success_criteria: str = ""
    """What good outputs are, in words; empty: being there is enough."""
    description: str = ""
    """What this step is for."""
    client_facing: bool = False
    """Whether the worker talks with a person who can be asked."""
    judge_every_n_turns: int | None = None
    """None means every one; at least 1."""

    def __post_init__(self) -> None:
        keys = str | pb.OutputKey
        expect.each("Step.output_keys", self.output_keys, keys, "a str or an OutputKey")
        expect.text("Step.success_criteria", self.success_criteria)
        expect.text("Step.description", self.description)
        expect.flag("Step.client_facing", self.client_facing)
        if self.judge_every_n_turns is not None:
            expect.whole("Step.judge_every_n_turns", self.judge_every_n_turns, 1)


def facts(state: LoopState, step: Step, max_iterations: int) -> pb.Turn:
    """Return the facts of the turn under way."""
    return turn(
        len(state.turns),
        max_iterations=min(max_iterations, MAX_TOLD_ITERATIONS),
        judge_every_n_turns=step.judge_every_n_turns,
        tool_calls=state.tool_calls,
        output_keys=step.output_keys,
        client_facing=step.client_facing,
        success_criteria=step.success_criteria,
        node_description=step.description,
        earlier=state.earlier,
    )


def forget(state: LoopState, earlier_turns: int) -> None:
    """Keep no more than so many of the latest turns."""
    del state.earlier[: max(len(state.earlier) - earlier_turns, 0)]


def called(calls: Iterable[pb.ToolCall]) -> list[pb.ToolCall]:
    """Return copies of tool calls."""
    copies = []
    for call in calls:
        copy = pb.ToolCall()
        copy.CopyFrom(call)
        copies.append(copy)
    return copies
