"""Tokens by kind, as each server counts them, and what they cost."""

import json
from typing import Any

import pytest
from consensus_client.testing import llm_reply
from consensus_client.testing.llm_answers import HttpAnswer
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.gradient import Usage
from consensus.domain.judges import Price
from consensus.judges.llm.pricing import priced, worst_cost
from tests.judges.llm_http.asking import SCHEMA, ask, reply_of

PLAIN = Price(input=1.0, output=10.0)
CACHING = Price(input=1.0, output=10.0, cached_input=0.1, cache_write=1.25)
FULL = {
    "prompt_tokens": 1_000,
    "prompt_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 100},
    "completion_tokens": 200,
    "completion_tokens_details": {"reasoning_tokens": 150},
}
FULL_ANTHROPIC = {
    "input_tokens": 300,
    "cache_read_input_tokens": 600,
    "cache_creation_input_tokens": 100,
    "output_tokens": 200,
    "output_tokens_details": {"thinking_tokens": 150},
}


def usage(cost: float | None, *counts: int) -> Usage:
    names = ("input", "cached_input", "cache_write", "output", "reasoning")
    fields: dict[str, Any] = {f"{n}_tokens": c for n, c in zip(names, counts, strict=False)}
    return Usage(cost_usd=cost, **fields)


@pytest.mark.parametrize(
    ("told", "price", "expected"),
    [
        (FULL, CACHING, usage((300 + 60 + 125 + 2_000) / 1e6, 1_000, 600, 100, 200, 150)),
        (FULL, PLAIN, usage(3_000 / 1e6, 1_000, 600, 100, 200, 150)),
        (FULL, None, usage(None, 1_000, 600, 100, 200, 150)),
        ({"prompt_tokens": 5, "completion_tokens": 2}, PLAIN, usage(25 / 1e6, 5, 0, 0, 2, 0)),
        ({"prompt_tokens": 5, "prompt_tokens_details": None}, PLAIN, usage(5 / 1e6, 5)),
        ({"prompt_tokens": -5, "completion_tokens": True}, PLAIN, usage(None)),
        ({"prompt_tokens": 10**30, "completion_tokens": 2.5}, PLAIN, usage(None)),
        (None, PLAIN, usage(None)),
        ("many", PLAIN, usage(None)),
    ],
)
async def test_what_openai_counts(told: object, price: Price | None, expected: Usage) -> None:
    choice = {"message": {"content": "x"}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": told}).encode()
    prices = {"m": price} if price else {"another model": CACHING}
    reply = await reply_of(HttpAnswer(200, body), prices=prices)
    assert reply.usage == expected


@pytest.mark.parametrize(
    ("told", "price", "expected"),
    [
        (FULL_ANTHROPIC, CACHING, usage(2_485 / 1e6, 1_000, 600, 100, 200, 150)),
        (FULL_ANTHROPIC, None, usage(None, 1_000, 600, 100, 200, 150)),
        ({"input_tokens": 5, "output_tokens": 2}, PLAIN, usage(25 / 1e6, 5, 0, 0, 2, 0)),
        ({"cache_read_input_tokens": None, "input_tokens": 5}, PLAIN, usage(5 / 1e6, 5)),
        (None, PLAIN, usage(None)),
    ],
)
async def test_what_anthropic_counts(told: object, price: Price | None, expected: Usage) -> None:
    block = {"type": "text", "text": "x"}
    body = json.dumps({"content": [block], "stop_reason": "end_turn", "usage": told}).encode()
    prices = {"m": price} if price else {}
    reply = await reply_of(HttpAnswer(200, body), kind="anthropic_messages", prices=prices)
    assert reply.usage == expected


async def test_a_model_for_nothing_costs_nothing() -> None:
    free = {"m": Price(input=0, output=0)}
    assert (await reply_of(llm_reply("x"), prices=free)).usage.cost_usd == 0


def test_an_unknown_price_is_no_worst_cost() -> None:
    assert worst_cost(ask(), None) is None


def test_the_schema_is_part_of_what_can_cost() -> None:
    plain, longer = worst_cost(ask(), PLAIN), worst_cost(ask(schema=SCHEMA), PLAIN)
    assert plain is not None
    assert longer is not None
    assert longer > plain


@given(
    user=st.text(max_size=200),
    spent=st.integers(0, 1_000),
    cached=st.floats(0, 1),
    prices=st.tuples(*[st.floats(0, 100)] * 4),
)
def test_no_reply_costs_more_than_the_worst(
    user: str, spent: int, cached: float, prices: tuple[float, float, float, float]
) -> None:
    price = Price(input=prices[0], output=prices[1], cached_input=prices[2], cache_write=prices[3])
    worst = worst_cost(ask(user=user, system="", max_tokens=1_000), price)
    tokens = len(user.encode()) // 3 + 64
    read = int(tokens * cached)
    cost = priced(
        price,
        input_tokens=tokens,
        cached=read,
        written=(tokens - read) // 2,
        output_tokens=spent,
        reasoning=spent,
    ).cost_usd
    assert worst is not None
    assert cost is not None
    assert cost <= worst * (1 + 1e-12)
