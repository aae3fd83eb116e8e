"""The dialect of OpenAI's chat completions, as vLLM, llama.cpp, Ollama and OpenRouter speak it."""

from collections.abc import Mapping

from consensus.domain.gradient import FailureKind, Usage
from consensus.domain.judges import BackendSpec, Price
from consensus.judges.llm.chat import Ask, Exchange, Finish, Reply, Token, Tool, ToolUse
from consensus.judges.llm.failures import BackendFailed, inner_failure
from consensus.judges.llm.json_values import count, encoded, items, mapping, text
from consensus.judges.llm.pricing import priced
from consensus.judges.llm.tool_use import as_json, call_id, called, tool_use

MAX_TOP_LOGPROBS = 20
_MOST_LOGPROB = 1e9
"""Larger ones, either way, are nonsense; whole numbers may be too large for a float."""
ANSWER = "answer"
"""What the function or schema is called that a reply has to satisfy."""
_FINISHES = {
    "stop": Finish.STOP,
    "tool_calls": Finish.STOP,
    "function_call": Finish.STOP,
    "length": Finish.LENGTH,
    "model_length": Finish.LENGTH,
    "content_filter": Finish.FILTERED,
    "refusal": Finish.REFUSED,
}


class OpenAiChat:
    """Writes requests and reads replies; sends no parameter that the capabilities exclude."""

    path = "/chat/completions"
    key_header = ("Authorization", "Bearer ")
    headers: Mapping[str, str] = {}

    def __init__(self, spec: BackendSpec) -> None:
        self._can = spec.capabilities
        self._prices = spec.prices

    def body(self, ask: Ask) -> bytes:
        """Return the request as JSON."""
        return encoded(self._request(ask))

    def _request(self, ask: Ask) -> dict[str, object]:
        can = self._can
        messages: list[dict[str, object]] = [{"role": "user", "content": ask.user}]
        if ask.system:
            messages.insert(0, {"role": "system", "content": ask.system})
        for step, exchange in enumerate(ask.exchanges):
            messages += _exchanged(step, exchange)
        request: dict[str, object] = {
            "model": ask.model,
            "messages": messages,
            can.max_tokens_name: ask.max_tokens,
        }
        if ask.temperature is not None and can.temperature:
            request["temperature"] = ask.temperature
        if ask.seed is not None and can.seed:
            request["seed"] = ask.seed
        if ask.top_logprobs and can.logprobs:
            request["logprobs"] = True
            request["top_logprobs"] = min(ask.top_logprobs, MAX_TOP_LOGPROBS)
        if ask.tools:
            request["tools"] = [_offered(tool) for tool in ask.tools]
            request["tool_choice"] = "auto"
        elif ask.schema is not None:
            request.update(_structure(can.structured, ask.schema))
        return request

    def reply(self, value: Mapping[str, object], ask: Ask) -> Reply:
        """Read an answer with status 200 that holds no error. Raises BackendFailed."""
        choices = items(value.get("choices"))
        if not choices:
            raise BackendFailed(FailureKind.UNREADABLE, "the answer holds no choice", status=200)
        choice = mapping(choices[0])
        message = mapping(choice.get("message"))
        told = ask.top_logprobs and self._can.logprobs
        return Reply(
            text=_content(message) if ask.tools else _text(message),
            finish=Finish.REFUSED if text(message.get("refusal")) else _finish(choice),
            usage=_usage(value.get("usage"), self._prices.get(ask.model)),
            model=text(value.get("model"))[:200],
            tokens=_tokens(choice) if told else (),
            uses=_uses(message) if ask.tools else (),
        )


def _structure(structured: str, schema: Mapping[str, object]) -> dict[str, object]:
    match structured:
        case "json_schema":
            named = {"name": ANSWER, "strict": True, "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case "tool":
            function = {"name": ANSWER, "parameters": schema}
            return {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": ANSWER}},
            }
        case _:
            return {}


def _finish(choice: Mapping[str, object]) -> Finish:
    reason = text(choice.get("finish_reason"))
    if reason in ("error", "abort", "insufficient_system_resource"):
        failed = inner_failure(choice.get("error") or reason, {})
        failed.cut_off = True  # tokens were made by then, and are billed by many
        raise failed
    finish = _FINISHES.get(reason)
    if finish is None:  # who knows whether it is whole
        words = "the answer does not say that it is finished"
        raise BackendFailed(FailureKind.UNREADABLE, words, status=200)
    return finish


def _text(message: Mapping[str, object]) -> str:
    """Return what the model wrote: the arguments of its call, else its words.

    Of several calls none is preferred: together they are no JSON.
    """
    calls = items(message.get("tool_calls"))
    if calls:
        functions = (mapping(mapping(call).get("function")) for call in calls)
        return "\n".join(text(function.get("arguments")) for function in functions)
    return _content(message)


def _content(message: Mapping[str, object]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(text(mapping(part).get("text")) for part in items(content))


def _offered(tool: Tool) -> dict[str, object]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _exchanged(step: int, exchange: Exchange) -> list[dict[str, object]]:
    """Return what was called and what came of it, under ids of our own."""
    calls: list[dict[str, object]] = [
        {
            "id": call_id(step, index),
            "type": "function",
            "function": {"name": called(use), "arguments": as_json(use.arguments)},
        }
        for index, use in enumerate(exchange.uses)
    ]
    results: list[dict[str, object]] = [
        {"role": "tool", "tool_call_id": call_id(step, index), "content": result}
        for index, result in enumerate(exchange.results)
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def _uses(message: Mapping[str, object]) -> tuple[ToolUse, ...]:
    functions = [
        mapping(mapping(call).get("function")) for call in items(message.get("tool_calls"))
    ]
    return tuple(tool_use(each.get("name"), each.get("arguments")) for each in functions)


def _usage(value: object, price: Price | None) -> Usage:
    told = mapping(value)
    prompt = mapping(told.get("prompt_tokens_details"))
    completion = mapping(told.get("completion_tokens_details"))
    return priced(
        price,
        input_tokens=count(told.get("prompt_tokens")),
        cached=count(prompt.get("cached_tokens")),
        written=count(prompt.get("cache_write_tokens")),
        output_tokens=count(told.get("completion_tokens")),
        reasoning=count(completion.get("reasoning_tokens")),
    )


def _tokens(choice: Mapping[str, object]) -> tuple[Token, ...]:
    told = items(mapping(choice.get("logprobs")).get("content"))
    return tuple(_token(mapping(entry)) for entry in told)


def _token(entry: Mapping[str, object]) -> Token:
    top = [
        (text(found.get("token")), float(logprob))
        for found in map(mapping, items(entry.get("top_logprobs")))
        if isinstance(logprob := found.get("logprob"), int | float)
        and abs(logprob) <= _MOST_LOGPROB
    ]
    top.sort(key=lambda pair: -pair[1])
    return Token(text(entry.get("token")), tuple(top))
