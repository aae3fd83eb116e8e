"""What a call costs: tokens by kind times the price table of the policy file."""

from collections.abc import Mapping

from consensus.domain.gradient import Usage
from consensus.domain.judges import Price
from consensus.judges.llm.chat import Ask
from consensus.judges.llm.json_values import encoded

PER = 1_000_000
BYTES_PER_TOKEN = 3
"""Fewer than the usual 3.5 to 4.5, so that the estimate is an upper one."""
FRAME_TOKENS = 64
"""What a chat template adds around the messages."""


def priced(
    price: Price | None,
    *,
    input_tokens: int,
    cached: int,
    written: int,
    output_tokens: int,
    reasoning: int,
) -> Usage:
    """Return tokens by kind with their cost in US dollars; None where price or tokens are unknown.

    `cached` and `written` are parts of `input_tokens`, `reasoning` of `output_tokens`.
    """
    cost = None
    if price is not None and (input_tokens or output_tokens):
        plain = max(input_tokens - cached - written, 0)
        cost = (
            plain * price.input
            + cached * _or(price.cached_input, price.input)
            + written * _or(price.cache_write, price.input)
            + output_tokens * price.output
        ) / PER
    return Usage(
        input_tokens=input_tokens,
        cached_input_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output_tokens,
        reasoning_tokens=reasoning,
        cost_usd=cost,
    )


def worst_cost(ask: Ask, price: Price | None) -> float | None:
    """Return the most that `ask` can cost in US dollars; None where the price is unknown.

    The prompt is taken for a token per three bytes of UTF-8, all of it at the dearest price of
    input, the schema included; the reply for `max_tokens`.
    """
    if price is None:
        return None
    size = _size(ask.system) + _size(ask.user) + _schema_size(ask.schema)
    size += sum(_schema_size(tool.parameters) + _size(tool.description) for tool in ask.tools)
    size += sum(_size(result) for exchange in ask.exchanges for result in exchange.results)
    dearest = max(price.input, _or(price.cached_input, 0.0), _or(price.cache_write, 0.0))
    tokens = size / BYTES_PER_TOKEN + FRAME_TOKENS
    return (tokens * dearest + ask.max_tokens * price.output) / PER


def _or(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price


def _size(words: str) -> int:
    return len(words) if words.isascii() else len(words.encode("utf-8", "surrogatepass"))


def _schema_size(schema: Mapping[str, object] | None) -> int:
    return 0 if schema is None else len(encoded(schema))
