"""Turns in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.json_format import ParseDict

from consensus.v1 import submission_pb2 as pb

TRAVEL = ("flight_options", "hotel_recommendations", "cost_estimate")
PARTLY = {"flight_options": "3 direct flights found", "hotel_recommendations": "5 hotels"}
VAGUE = {
    "flight_options": "some flights exist",
    "hotel_recommendations": "hotels available",
    "cost_estimate": "around $1000",
}
GOOD = {
    "flight_options": "LH 400, 08:05 to 11:20",
    "hotel_recommendations": "Casa da Ribeira, rated 9.1",
    "cost_estimate": {"flight": 620, "hotel": 280},
}
CRITERIA = "Specific flight numbers, hotel names with ratings, an itemised cost estimate."


def turn(
    text: str = "Here you are.",
    outputs: Mapping[str, Any] | None = None,
    *,
    keys: Sequence[str] = (),
    calls: Sequence[str] = (),
    earlier: Sequence[str | Sequence[str] | pb.EarlierTurn] = (),
    messages: Sequence[tuple[str, str]] = (),
    **facts: Any,
) -> pb.Submission:
    """Return a submission with a turn. A key that ends in `?` may stay unset. Calls: see `calls`.
    Earlier turns: a text, or calls.
    """
    made = pb.Turn(
        output_keys=[
            pb.OutputKey(name=k.removesuffix("?"), nullable=k.endswith("?")) for k in keys
        ],
        tool_calls=called(calls),
        earlier=[_earlier(each) for each in earlier],
        **facts,
    )
    said = [pb.Message(role=role, content=content) for role, content in messages]
    submission = pb.Submission(task="Plan a trip.", candidate=text, turn=made, messages=said)
    for key, value in (outputs or {}).items():
        ParseDict(value, submission.outputs[key])
    return submission


def called(calls: Sequence[str]) -> list[pb.ToolCall]:
    """Return tool calls from `name`, `name {"json": ...}` or, failed, `!name {...}`."""
    made = []
    for call in calls:
        name, _, arguments = call.partition(" ")
        plain = name.removeprefix("!")
        made.append(pb.ToolCall(name=plain, arguments=arguments or "{}", failed=plain != name))
    return made


def _earlier(turn: str | Sequence[str] | pb.EarlierTurn) -> pb.EarlierTurn:
    if isinstance(turn, pb.EarlierTurn):
        return turn
    if isinstance(turn, str):
        return pb.EarlierTurn(text=turn)
    return pb.EarlierTurn(text=f"at {turn}", tool_calls=called(turn))
