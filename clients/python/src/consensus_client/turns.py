"""The facts of a worker's turn, made of plain Python values.

Only types are looked at here: the server holds the limits and names every field that breaks one.
"""

import json
from collections.abc import Iterable, Mapping

from consensus.v1.decision_pb2 import Decision
from consensus.v1.submission_pb2 import EarlierTurn, OutputKey, ToolCall, Turn
from consensus_client import expect
from consensus_client.plain import listed
from consensus_client.words import FindingStatus


def turn(
    iteration: int = 0,
    *,
    max_iterations: int | None = None,
    judge_every_n_turns: int | None = None,
    tool_calls: Iterable[ToolCall] = (),
    output_keys: Iterable[str | OutputKey] = (),
    client_facing: bool = False,
    success_criteria: str = "",
    node_description: str = "",
    earlier: Iterable[EarlierTurn] = (),
) -> Turn:
    """Return the facts of one turn, for policies whose guards look at turns.

    `iteration`: turns of the run before this one. `max_iterations`: turns after which the run ends;
    None means 50. `judge_every_n_turns`: None means every one. `tool_calls`: those of this turn, in
    order, at most 128, each from `tool_call()`. `output_keys`: the outputs that the worker should
    set; `OutputKey(name=..., nullable=True)` may stay unset. `client_facing`: whether the worker
    talks with a person who can be asked. `success_criteria`: what good outputs are; empty: being
    there is enough. `node_description`: what this step is for. `earlier`: the turns before, oldest
    first, each from `earlier_turn()`; the latest five will do.
    """
    expect.integer("iteration", iteration)
    for name, count in (
        ("max_iterations", max_iterations),
        ("judge_every_n_turns", judge_every_n_turns),
    ):
        if count is not None:
            expect.integer(name, count)
    calls, keys, turns = list(tool_calls), list(listed(output_keys, "output_keys")), list(earlier)
    expect.each("tool_calls", calls, ToolCall | Mapping, "a ToolCall, of tool_call()")
    expect.each("output_keys", keys, str | OutputKey, "a str or an OutputKey")
    expect.each("earlier", turns, EarlierTurn | Mapping, "an EarlierTurn, of earlier_turn()")
    expect.flag("client_facing", client_facing)
    expect.text("success_criteria", success_criteria)
    expect.text("node_description", node_description)
    return Turn(
        iteration=iteration,
        max_iterations=max_iterations,
        judge_every_n_turns=judge_every_n_turns,
        tool_calls=calls,
        output_keys=[key if isinstance(key, OutputKey) else OutputKey(name=key) for key in keys],
        client_facing=client_facing,
        success_criteria=success_criteria,
        node_description=node_description,
        earlier=turns,
    )


def tool_call(
    name: str, arguments: Mapping[str, object] | str = "", *, failed: bool = False
) -> ToolCall:
    """Return a call that the worker has made.

    `arguments`: JSON values, or JSON text as the worker wrote it. `failed`: whether the tool
    answered with an error. Raises TypeError or ValueError on an argument that is not JSON.
    """
    expect.text("name", name)
    expect.flag("failed", failed)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, allow_nan=False)
    return ToolCall(name=name, arguments=text, failed=failed)


def earlier_turn(
    text: str = "", *, tool_calls: Iterable[ToolCall] = (), decision: Decision | None = None
) -> EarlierTurn:
    """Return a turn that is over, for `turn(earlier=...)`.

    `text`: what the worker said, at most 200,000 characters. `decision`: what the server said of
    it; None where it was not judged.
    """
    expect.text("text", text)
    calls = list(tool_calls)
    expect.each("tool_calls", calls, ToolCall | Mapping, "a ToolCall, of tool_call()")
    expect.typed("decision", decision, Decision | None, "a Decision")
    made = EarlierTurn(text=text, tool_calls=calls)
    if decision is not None:
        made.goal_status = decision.goal_status
        made.goal_confidence = decision.goal_confidence
        if decision.criteria:
            made.criteria_met = sum(c.status == FindingStatus.MET for c in decision.criteria)
    return made
