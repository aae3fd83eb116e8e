"""What passes between the loop and those who work for it: attempts out, drafts back."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

from consensus.v1.submission_pb2 import ToolCall
from consensus_client import expect

FEEDBACK_PREFIX = "[Judge feedback]: "


@dataclass(frozen=True, slots=True)
class Draft:
    """One version of the work: a text, named outputs, or both. Changing it changes no state.

    Raises TypeError on a candidate that is no text, and on other outputs and tool calls.
    """

    candidate: str = ""
    """The answer in words."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """JSON values by output key. From a worker: added to those kept from earlier turns."""
    tool_calls: Sequence[ToolCall] = ()
    """The tool calls of this turn, in order, at most 128, each from `consensus_client.tool_call()`.
    A turn of tool calls alone is none that is empty."""

    def __post_init__(self) -> None:
        expect.text("Draft.candidate", self.candidate)
        expect.mapping("Draft.outputs", self.outputs, '{"city": "Lisbon"}')
        must = "a ToolCall: make it with tool_call()"
        expect.each("Draft.tool_calls", self.tool_calls, ToolCall, must)


Made: TypeAlias = Draft | str | Mapping[str, Any]
"""What a worker or a fixer returns: a draft, a bare candidate, or bare outputs."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a worker is told."""

    task: str
    number: int
    """Which turn this is, from 1 to `max_iterations`."""
    max_iterations: int
    feedback: str
    """What to mend. Belongs to this attempt alone: no other that ends well has it. May be empty."""
    candidate: str
    """The candidate of the turn before; empty in the first."""
    outputs: Mapping[str, Any]
    """The outputs kept so far, also by attempts that were cancelled."""
    messages: Sequence[Mapping[str, str]]
    """The conversation, with what a person put in."""
    keep: Callable[[Mapping[str, Any]], None]
    """Keep outputs at once, so that they outlast a cancellation: `attempt.keep({"hotels": [...]})`.
    Raises TypeError or ValueError on what is not JSON."""
    propose: Callable[..., Any]
    """Ask whether a tool call may run, before it does: `attempt.propose("fs.write", {...})` gives
    the server's JudgeToolCallResponse with `allowed` and the `retry_signal` for the model; in an
    AsyncJudgeLoop it is to be awaited. Uses up no turn. An error that it raises is no allowance."""

    @property
    def feedback_message(self) -> str:
        """The feedback as a user message for a model's conversation; empty when there is none."""
        return FEEDBACK_PREFIX + self.feedback if self.feedback else ""


class Ruling(StrEnum):
    """What a person says about a draft."""

    APPROVE = "approve"
    """Paused: go on to the judges. Escalated: accept it."""
    MODIFY = "modify"
    """Go on with the changed draft, through validation to the judges."""
    REJECT = "reject"
    """Send it back to the worker, with the person's words as feedback."""
    ABORT = "abort"
    """End the run."""


def draft_of(made: object) -> Draft:
    """Return what was made as a draft. Raises TypeError for anything else."""
    match made:
        case Draft():
            return made
        case str():
            return Draft(made)
        case Mapping():
            return Draft(outputs=made)
    raise TypeError(f"a worker returned {type(made).__name__}; must be Draft, str or a mapping")


def json_copy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that shares nothing with its original; tuples become lists.

    Raises TypeError or ValueError on what is not JSON, such as NaN.
    """
    copy: dict[str, Any] = json.loads(json.dumps(dict(values), allow_nan=False))
    return copy


def frozen(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a copy to look at."""
    return MappingProxyType(json_copy(values))
