"""Where a run of the loop stands: plain data that outlasts a cancellation and a process."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from types import UnionType
from typing import Any, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from consensus.v1.submission_pb2 import Criterion, EarlierTurn, Message, ToolCall
from consensus_client import expect
from consensus_client.loop.drafts import Draft, Ruling, frozen, json_copy
from consensus_client.loop.turns import LoopStatus, Phase, Turn, told

VERSION = 2
PERSON = "person"
VALIDATE = "validate"


@dataclass
class LoopState:
    """One run: give a new one to `JudgeLoop.run()`, give it again to go on.

    Made by `begin()`. `max_iterations`, policy and hooks are the loop's own, so run it with the
    same ones again. One loop at a time may run it.
    """

    task: str
    criteria: list[Criterion] = field(default_factory=list)
    context: dict[str, Any] | None = None
    messages: list[dict[str, str]] = field(default_factory=list)
    status: LoopStatus = LoopStatus.RUNNING
    phase: Phase = Phase.WORK
    candidate: str = ""
    """The latest candidate, whatever its verdict."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """The outputs kept so far, whatever their verdict."""
    feedback: str = ""
    """Waits for the next attempt, which uses it up."""
    request_id: str = ""
    """Of the request that is to be sent, or was and got no answer: a resumed run repeats it."""
    question: str = ""
    """What the person is asked while PAUSED."""
    cleared: bool = False
    """Whether a person has seen this draft."""
    problems: list[str] = field(default_factory=list)
    """What the last validation found."""
    fixes: int = 0
    work_seconds: float = 0.0
    decided_by: str = ""
    turns: list[Turn] = field(default_factory=list)
    said: str = ""
    """What the worker said in this turn; empty where it set outputs alone."""
    tool_calls: list[ToolCall] = field(default_factory=list)
    """Those of this turn."""
    denied: int = 0
    """Tool calls of this turn that were denied."""
    tool_history: list[dict[str, str]] = field(default_factory=list)
    """Tool calls that were proposed in this run, the latest hundred."""
    earlier: list[EarlierTurn] = field(default_factory=list)
    """The latest turns, as the next request tells them."""

    @property
    def draft(self) -> Draft:
        """The latest draft, as a copy."""
        return Draft(self.candidate, frozen(self.outputs))

    def keep(self, outputs: Mapping[str, Any]) -> None:
        """Add outputs. Raises TypeError or ValueError on what is not JSON."""
        self.outputs.update(json_copy(outputs))

    def answer(
        self,
        ruling: Ruling = Ruling.APPROVE,
        text: str = "",
        *,
        candidate: str | None = None,
        outputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Put a person's ruling in; the next `run()` goes on with it.

        `text`: the person's words: feedback for the worker with REJECT, else a user message that
        worker and judges see. `candidate`, `outputs`: what MODIFY puts in place of the old; outputs
        left out stay. Raises ValueError unless PAUSED or ESCALATED, for a ruling that is none, and
        for MODIFY without change; TypeError on words that are no text, before anything changes.
        """
        if self.status not in (LoopStatus.PAUSED, LoopStatus.ESCALATED):
            raise ValueError(f"status is {self.status}; a person rules on PAUSED and ESCALATED")
        ruling = Ruling(ruling)  # a str that is none must not pass for an approval
        if (ruling is Ruling.MODIFY) == (candidate is None and outputs is None):
            raise ValueError("candidate or outputs go with MODIFY, and only with it")
        expect.text("text", text)
        expect.text("candidate", "" if candidate is None else candidate)
        expect.mapping("outputs", {} if outputs is None else outputs, '{"city": "Lisbon"}')
        escalated = self.status is LoopStatus.ESCALATED
        self.keep(outputs or {})
        if candidate is not None:
            self.candidate = self.said = candidate
        if text and ruling is not Ruling.REJECT:
            self.messages.append({"role": "user", "content": text})
        self.status, self.question = LoopStatus.RUNNING, ""
        match ruling:
            case Ruling.ABORT:
                self.status, self.decided_by = LoopStatus.ABORTED, PERSON
            case Ruling.REJECT if escalated:
                self.phase, self.feedback = Phase.WORK, text
            case Ruling.REJECT:
                self.close(self.turn("RETRY", PERSON, text))
            case Ruling.APPROVE if escalated:
                self.status, self.decided_by = LoopStatus.ACCEPTED, PERSON
            case _:
                self.phase, self.cleared = Phase.VALIDATE, True

    def turn(self, verdict: str, decided_by: str, feedback: str, **more: Any) -> Turn:
        """Return the turn under way as finished. For the loop's own use."""
        return Turn(
            number=len(self.turns) + 1,
            verdict=verdict,
            decided_by=decided_by,
            feedback=feedback,
            fixes=self.fixes,
            work_seconds=self.work_seconds,
            tool_calls=len(self.tool_calls),
            denied=self.denied,
            **more,
        )

    def close(self, turn: Turn) -> None:
        """End a turn, and the run unless the verdict is RETRY. For the loop's own use."""
        self.turns.append(turn)
        self.earlier.append(told(turn, self.said, self.tool_calls))
        self.said, self.tool_calls, self.denied = "", [], 0
        self.decided_by = turn.decided_by
        self.phase = Phase.WORK
        self.request_id, self.cleared, self.problems = "", False, []
        self.fixes, self.work_seconds = 0, 0.0
        match turn.verdict:
            case "ACCEPT":
                self.status = LoopStatus.ACCEPTED
            case "RETRY":
                self.feedback = turn.feedback
            case _:  # a verdict that this version does not know is for a person too
                self.status = LoopStatus.ESCALATED

    def to_json(self) -> str:
        """Return everything as one JSON object, for `from_json()`."""
        record = asdict(self)
        for name in _MESSAGES:
            record[name] = [
                MessageToDict(each, preserving_proto_field_name=True) for each in record[name]
            ]
        return json.dumps({"version": VERSION, **record}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the state that was written. Raises ValueError where it is none of this version."""
        try:
            record = json.loads(text)
            fits = record.pop("version") == VERSION and set(record) == _NAMES
            for name, kind in _MESSAGES.items():
                record[name] = [ParseDict(each, kind()) for each in record[name]]
            record["turns"] = [_typed(Turn(**each)) for each in record["turns"]]
            record["status"] = LoopStatus(record["status"])
            record["phase"] = Phase(record["phase"])
        except _FAULTS as error:
            raise ValueError(f"not a loop state of version {VERSION}") from error
        if not fits:
            raise ValueError(f"not a loop state of version {VERSION}")
        state = cls(**record)
        _typed(state)
        return state


_FAULTS = (AttributeError, KeyError, TypeError, ValueError, ParseError, RecursionError)
"""What a record raises that is none, or is nested too deep."""
_R = TypeVar("_R", LoopState, Turn)


def _typed(record: _R) -> _R:
    """Return `record`. Raises ValueError where a field is not of its type: a file may hold
    anything, and what is wrong in it is told before a run goes on with it, not in its middle.
    """
    for name, hint in get_type_hints(type(record)).items():
        if not _is(getattr(record, name), hint):
            raise ValueError(f"not a loop state of version {VERSION}: {name}")
    return record


def _is(value: object, hint: Any) -> bool:
    """Tell whether a value is of a type, and all that it holds."""
    kind, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if kind is list:
        return isinstance(value, list) and all(_is(each, inner[0]) for each in value)
    if kind is dict:
        return isinstance(value, dict) and all(_is(each, inner[1]) for each in value.values())
    if kind is UnionType:
        return any(_is(value, each) for each in inner)
    if hint is float:
        return type(value) in (int, float) and abs(cast("float", value)) < math.inf
    return type(value) is hint


_NAMES = {each.name for each in fields(LoopState)}
_MESSAGES: dict[str, type[Criterion | ToolCall | EarlierTurn]] = {
    "criteria": Criterion,
    "tool_calls": ToolCall,
    "earlier": EarlierTurn,
}
"""Fields that are lists of the contract's messages."""


def begin(
    task: str,
    *,
    criteria: Iterable[Criterion] = (),
    context: Mapping[str, Any] | None = None,
    messages: Iterable[Mapping[str, str]] = (),
) -> LoopState:
    """Return the state of a new run; arguments are as for `submission()`.

    Raises TypeError and ValueError on a task, criteria and messages that are none, before a worker
    has worked for them.
    """
    expect.text("task", task, such_as="Plan a weekend in Lisbon.")
    rubric, said = list(criteria), list(messages)
    must = "a Criterion: make it with criterion()"
    expect.each("criteria", rubric, Criterion, must)
    for place, message in enumerate(said):
        expect.mapping(f"messages[{place}]", message, '{"role": "user", "content": "..."}')
        Message(**message)  # ValueError on other keys
    if context is not None:
        expect.mapping("context", context, '{"city": "Lisbon"}')
    return LoopState(
        task,
        rubric,
        None if context is None else json_copy(context),
        [dict(message) for message in said],
    )
