"""The dialect of Anthropic's Messages."""

import json
from collections.abc import Iterator, Mapping, Sequence

from consensus.domain.gradient import FailureKind, Usage
from consensus.domain.judges import BackendSpec, Price
from consensus.judges.llm.chat import Ask, Exchange, Finish, Reply, ToolUse
from consensus.judges.llm.failures import BackendFailed
from consensus.judges.llm.json_values import count, encoded, items, mapping, text
from consensus.judges.llm.openai_chat import ANSWER
from consensus.judges.llm.pricing import priced
from consensus.judges.llm.tool_use import call_id, called, tool_use

VERSION = "2023-06-01"
_FINISHES = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "tool_use": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}
_NOT_IN_SCHEMAS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    )
)
"""Its grammar refuses them with a 400; whoever reads the reply checks them anyway."""
_BY_NAME = frozenset(("properties", "$defs", "definitions"))


class AnthropicMessages:
    """Writes requests and reads replies. There are no seeds and no log probabilities."""

    path = "/messages"
    key_header = ("X-Api-Key", "")
    headers: Mapping[str, str] = {"Anthropic-Version": VERSION}

    def __init__(self, spec: BackendSpec) -> None:
        self._can = spec.capabilities
        self._prices = spec.prices

    def body(self, ask: Ask) -> bytes:
        """Return the request as JSON."""
        return encoded(self._request(ask))

    def _request(self, ask: Ask) -> dict[str, object]:
        """Return the request; the system prompt is marked for the provider's cache."""
        request: dict[str, object] = {
            "model": ask.model,
            "max_tokens": ask.max_tokens,
            "messages": [{"role": "user", "content": ask.user}, *_exchanged(ask.exchanges)],
        }
        if ask.system:
            block = {"type": "text", "text": ask.system, "cache_control": {"type": "ephemeral"}}
            request["system"] = [block]
        if ask.temperature is not None and self._can.temperature:
            request["temperature"] = min(ask.temperature, 1.0)  # its scale ends there
        if ask.tools:
            request["tools"] = [
                {"name": t.name, "description": t.description, "input_schema": t.parameters}
                for t in ask.tools
            ]
            request["tool_choice"] = {"type": "auto"}
        elif ask.schema is not None:
            request.update(_structure(self._can.structured, ask.schema))
        return request

    def reply(self, value: Mapping[str, object], ask: Ask) -> Reply:
        """Read an answer with status 200 that holds no error. Raises BackendFailed."""
        finish = _FINISHES.get(text(value.get("stop_reason")))
        if finish is None:
            words = "the answer does not say that it is finished"
            raise BackendFailed(FailureKind.UNREADABLE, words, status=200)
        blocks = [mapping(block) for block in items(value.get("content"))]
        return Reply(
            text=_words(blocks) if ask.tools else _text(blocks),
            finish=finish,
            usage=_usage(value.get("usage"), self._prices.get(ask.model)),
            model=text(value.get("model"))[:200],
            uses=_uses(blocks) if ask.tools else (),
        )


def _structure(structured: str, schema: Mapping[str, object]) -> dict[str, object]:
    match structured:
        case "json_schema":
            format_ = {"type": "json_schema", "schema": _without_bounds(schema)}
            return {"output_config": {"format": format_}}
        case "tool":
            return {
                "tools": [{"name": ANSWER, "input_schema": schema}],
                "tool_choice": {"type": "tool", "name": ANSWER},
            }
        case _:  # it has no mode of JSON without a schema
            return {}


def _without_bounds(schema: object, by_name: bool = False) -> object:
    """Return a schema without the keywords that are refused; `by_name`: keys are names."""
    if isinstance(schema, Mapping):
        return {
            key: _without_bounds(value, not by_name and key in _BY_NAME)
            for key, value in schema.items()
            if by_name or key not in _NOT_IN_SCHEMAS
        }
    return [_without_bounds(item) for item in schema] if isinstance(schema, list) else schema


def _text(blocks: list[Mapping[str, object]]) -> str:
    """Return what the model wrote: the input of its call, else its words. As for OpenAI's."""
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if calls:
        return "\n".join(json.dumps(call.get("input")) for call in calls)
    return _words(blocks)


def _words(blocks: list[Mapping[str, object]]) -> str:
    return "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")


def _uses(blocks: list[Mapping[str, object]]) -> tuple[ToolUse, ...]:
    called = [block for block in blocks if block.get("type") == "tool_use"]
    return tuple(tool_use(block.get("name"), block.get("input")) for block in called)


def _exchanged(exchanges: Sequence[Exchange]) -> Iterator[dict[str, object]]:
    """Yield what was called and what came of it, under ids of our own."""
    for step, exchange in enumerate(exchanges):
        uses = [
            {
                "type": "tool_use",
                "id": call_id(step, index),
                "name": called(use),
                "input": use.arguments or {},
            }
            for index, use in enumerate(exchange.uses)
        ]
        results = [
            {"type": "tool_result", "tool_use_id": call_id(step, index), "content": result}
            for index, result in enumerate(exchange.results)
        ]
        yield {"role": "assistant", "content": uses}
        yield {"role": "user", "content": results}


def _usage(value: object, price: Price | None) -> Usage:
    """Return the tokens; Anthropic counts input without what was read from or put in the cache."""
    told = mapping(value)
    cached = count(told.get("cache_read_input_tokens"))
    written = count(told.get("cache_creation_input_tokens"))
    details = mapping(told.get("output_tokens_details"))
    return priced(
        price,
        input_tokens=count(told.get("input_tokens")) + cached + written,
        cached=cached,
        written=written,
        output_tokens=count(told.get("output_tokens")),
        reasoning=count(details.get("thinking_tokens")),
    )
