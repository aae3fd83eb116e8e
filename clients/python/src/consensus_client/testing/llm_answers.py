"""What a scripted model server answers, in the dialect in which it is asked.

An answer is one of those made here, `delayed(...)`, `hang()`, or a function from the call.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from consensus_client import expect
from consensus_client.testing.answers import Delayed, Hang
from consensus_client.testing.llm_calls import LlmCall

_ANTHROPIC_FINISH = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


@dataclass(frozen=True, slots=True)
class LlmReply:
    """A whole, well-formed answer of a model."""

    text: str | None
    """None: the least that fits the schema asked for; numbers as large as it lets them be."""
    finish: str = "stop"
    usage: Mapping[str, object] = field(default_factory=lambda: {"input": 100, "output": 20})
    logprobs: Sequence[Mapping[str, float]] = ()
    calls: Sequence[tuple[str, object]] = ()
    """Tools that it calls, with their arguments: an object, or a text as it stands."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """Bytes as they are sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Broken:
    """An answer of which the connection is closed after a share of the body."""

    answer: LlmReply | HttpAnswer
    share: float


@dataclass(frozen=True, slots=True)
class Dripping:
    """An answer that comes in `pieces`, over some seconds."""

    answer: LlmReply | HttpAnswer
    seconds: float
    pieces: int


Spoken: TypeAlias = LlmReply | HttpAnswer | Broken | Dripping
ANSWERS = (LlmReply, HttpAnswer, Broken, Dripping, Delayed, Hang, Callable)
LlmAnswer: TypeAlias = Spoken | Delayed[Any] | Hang | Callable[[LlmCall], Spoken]


def llm_reply(
    text: str | None = None,
    finish: str = "stop",
    *,
    input_tokens: int = 100,
    output_tokens: int = 20,
    logprobs: Sequence[Mapping[str, float]] = (),
) -> LlmReply:
    """Answer with `text`, as a call of the tool where one is asked for.

    Without a text: the least that fits the schema asked for, or `ok`. `finish`: `stop`, `length`,
    `content_filter` or `refusal`. `logprobs`: of each token, alternatives with their natural
    logarithms, the chosen one first.
    """
    return LlmReply(text, finish, {"input": input_tokens, "output": output_tokens}, logprobs)


def llm_tool_calls(
    *calls: tuple[str, object], input_tokens: int = 100, output_tokens: int = 20
) -> LlmReply:
    """Answer with calls of tools, such as `("grep_trace", {"pattern": "refused"})`.

    Arguments that are a text are sent as they stand, JSON or not; Anthropic's dialect sends them as
    a string in place of the object.
    """
    usage = {"input": input_tokens, "output": output_tokens}
    return LlmReply("", "tool_calls", usage, calls=calls)


def http_error(
    status: int,
    code: str = "scripted",
    *,
    retry_after: str = "",
    headers: Mapping[str, str] | None = None,
) -> HttpAnswer:
    """Answer with a status other than 200, such as 429 with `retry_after="2"`."""
    sent = {**({"Retry-After": retry_after} if retry_after else {}), **(headers or {})}
    error = {"type": code, "code": code, "message": "As scripted."}
    return HttpAnswer(status, json.dumps({"type": "error", "error": error}).encode(), sent)


def error_in_200(code: int | str = 502, raw: str = "") -> HttpAnswer:
    """Answer 200 with no choices and an error, as aggregators do; `raw`: of its provider."""
    error = {"code": code, "message": "As scripted.", "metadata": {"raw": raw}}
    return HttpAnswer(200, json.dumps({"choices": None, "error": error}).encode())


def garbage(body: bytes = b"<html>\xff not JSON") -> HttpAnswer:
    """Answer 200 with what is no JSON."""
    return HttpAnswer(200, body)


def huge(size_bytes: int = (2 << 20) + 1) -> LlmReply:
    """Answer with a text of this size."""
    return llm_reply("x" * size_bytes)


def half(answer: LlmReply | HttpAnswer | None = None, share: float = 0.5) -> Broken:
    """Close the connection after a share of the body; 0 closes it before any byte.

    Raises ValueError unless the share is from 0 to 1.
    """
    expect.number("share", share, 0, 1)
    return Broken(answer or llm_reply(), share)


def dripping(
    seconds: float, answer: LlmReply | HttpAnswer | None = None, pieces: int = 10
) -> Dripping:
    """Send the answer in pieces, over `seconds`.

    Raises ValueError unless they are finite and at least 0, and the pieces at least 1.
    """
    expect.number("seconds", seconds, 0)
    expect.whole("pieces", pieces, 1)
    return Dripping(answer or llm_reply(), seconds, pieces)


def wrong_schema() -> LlmReply:
    """Answer with JSON that is nothing anybody asked for."""
    return llm_reply('{"weather": ["sunny", 7]}')


def contradictory(*texts: str) -> HttpAnswer:
    """Answer with several calls of the tool, such as verdicts that contradict each other."""
    calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": "answer", "arguments": text}}
        for i, text in enumerate(texts)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return HttpAnswer(200, json.dumps({"choices": [choice]}).encode())


def rendered(answer: LlmReply | HttpAnswer, call: LlmCall) -> HttpAnswer:
    """Return the bytes of an answer in the dialect of `call`."""
    if isinstance(answer, HttpAnswer):
        return answer
    text = answer.text
    if text is None:
        asked = call.schema
        text = "ok" if asked is None else json.dumps(fitting(asked))
    told = _anthropic if call.path.endswith("/messages") else _openai
    return HttpAnswer(200, json.dumps(told(answer, text, call)).encode())


def fitting(schema: Mapping[str, Any]) -> object:
    """Return the least value that fits a plain JSON Schema; numbers as large as may be."""
    for key in ("enum", "anyOf", "oneOf"):
        if key in schema:
            first = schema[key][0]
            return first if key == "enum" else fitting(first)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            known = schema.get("properties", {})
            return {key: fitting(known.get(key, {})) for key in schema.get("required", known)}
        case "array":
            return [fitting(schema.get("items", {}))] * schema.get("minItems", 0)
        case "number" | "integer":
            return schema.get("maximum", 1)
        case "boolean":
            return False  # a judge that abstains would have no score
        case "string":
            return "scripted".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]
        case _:
            return schema.get("const")


def _openai(answer: LlmReply, text: str, call: LlmCall) -> object:
    message: dict[str, object] = {"role": "assistant", "content": text}
    finish = answer.finish
    if finish == "refusal":
        message, finish = {"role": "assistant", "content": None, "refusal": text}, "stop"
    elif answer.calls:
        message = {"role": "assistant", "content": None, "tool_calls": _calls(answer.calls)}
    elif call.tool:
        function = {"name": call.tool, "arguments": text}
        calls = [{"id": "call_0", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice: dict[str, object] = {"index": 0, "message": message, "finish_reason": finish}
    if call.body.get("logprobs") and answer.logprobs:
        choice["logprobs"] = {"content": [_token(token) for token in answer.logprobs]}
    usage = {
        "prompt_tokens": answer.usage["input"],
        "completion_tokens": answer.usage["output"],
    }
    about = {"id": "scripted", "object": "chat.completion", "created": 0}
    return {**about, "model": call.body.get("model"), "choices": [choice], "usage": usage}


def _calls(calls: Sequence[tuple[str, object]]) -> list[object]:
    written = [
        (name, given if isinstance(given, str) else json.dumps(given)) for name, given in calls
    ]
    return [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": given}}
        for i, (name, given) in enumerate(written)
    ]


def _token(alternatives: Mapping[str, float]) -> object:
    top = [{"token": token, "logprob": logprob} for token, logprob in alternatives.items()]
    return {**top[0], "top_logprobs": top}


def _anthropic(answer: LlmReply, text: str, call: LlmCall) -> object:
    blocks: list[dict[str, object]] = [{"type": "text", "text": text}]
    finish = _ANTHROPIC_FINISH.get(answer.finish, answer.finish)
    calls = list(answer.calls)
    if call.tool and finish == "end_turn":
        calls = [(call.tool, json.loads(text))]
    if calls:
        blocks = [
            {"type": "tool_use", "id": f"t{i}", "name": name, "input": given}
            for i, (name, given) in enumerate(calls)
        ]
        finish = "tool_use"
    return {
        "id": "scripted",
        "type": "message",
        "role": "assistant",
        "model": call.body.get("model"),
        "content": blocks,
        "stop_reason": finish,
        "usage": {
            "input_tokens": answer.usage["input"],
            "output_tokens": answer.usage["output"],
        },
    }
