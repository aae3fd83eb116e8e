"""What is sent: the ask, in the server's dialect, and no parameter that its flags exclude."""

import itertools
from typing import Any

import pytest
from consensus_client.testing import FakeLlm

from consensus.domain.judges import BackendSpec, Capabilities
from consensus.judges.llm.anthropic_messages import AnthropicMessages
from consensus.judges.llm.chat import Ask
from consensus.judges.llm.openai_chat import OpenAiChat
from tests.judges.llm_http.asking import KINDS, SCHEMA, SECRET, ask, asking, can

EVERYTHING = ask(schema=SCHEMA, temperature=0.5, seed=7, top_logprobs=50)
STRUCTURES = ("json_schema", "json_object", "tool", "none")
NAMES = ("max_completion_tokens", "max_tokens")
TURN = {"role": "user", "content": SECRET}


async def sent(asked: Ask, kind: str = "openai_chat", **fields: Any) -> dict[str, Any]:
    """Return the body of one request."""
    with FakeLlm() as fake:
        async with asking(fake, kind, **fields) as backend:
            await backend.complete(asked, 10)
        return fake.requests[0]


async def test_a_plain_request_to_openai() -> None:
    assert await sent(ask(), capabilities=can()) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Judge."}, TURN],
        "max_completion_tokens": 50,
    }


async def test_a_full_request_to_openai() -> None:
    able = Capabilities(seed=True, logprobs=True, max_tokens_name="max_tokens")
    body = await sent(EVERYTHING, capabilities=able)
    schema = {"name": "answer", "strict": True, "schema": SCHEMA}
    assert {key: value for key, value in body.items() if key not in ("model", "messages")} == {
        "max_tokens": 50,
        "temperature": 0.5,
        "seed": 7,
        "logprobs": True,
        "top_logprobs": 20,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


async def test_a_full_request_to_anthropic() -> None:
    able = Capabilities(seed=True, logprobs=True)
    body = await sent(ask(schema=SCHEMA, temperature=1.5, seed=7, top_logprobs=5), KINDS[1])
    assert await sent(EVERYTHING, KINDS[1], capabilities=able) == {**body, "temperature": 0.5}
    block = {"type": "text", "text": "Judge.", "cache_control": {"type": "ephemeral"}}
    properties = {"score": {"type": "number"}, "minimum": {"enum": ["a", "b"]}}
    schema = {"type": "object", "properties": properties, "required": ["score", "minimum"]}
    assert body == {
        "model": "m",
        "max_tokens": 50,
        "system": [block],
        "messages": [TURN],
        "temperature": 1.0,
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }


@pytest.mark.parametrize("kind", KINDS)
async def test_a_tool_call_carries_the_whole_schema(kind: str) -> None:
    body = await sent(ask(schema=SCHEMA), kind, capabilities=can(structured="tool"))
    tool = body["tools"][0]
    assert len(body["tools"]) == 1
    assert (tool.get("input_schema") or tool["function"]["parameters"]) == SCHEMA
    assert "response_format" not in body


@pytest.mark.parametrize("kind", KINDS)
async def test_without_a_system_prompt_none_is_sent(kind: str) -> None:
    body = await sent(ask(system=""), kind)
    assert body["messages"] == [TURN]
    assert "system" not in body


@pytest.mark.parametrize("dialect", [OpenAiChat, AnthropicMessages])
@pytest.mark.parametrize("structured", STRUCTURES)
@pytest.mark.parametrize("name", NAMES)
def test_what_the_flags_exclude_is_never_sent(dialect: Any, structured: str, name: str) -> None:
    for temperature, seed, logprobs in itertools.product((False, True), repeat=3):
        able = Capabilities(
            structured=structured,
            temperature=temperature,
            seed=seed,
            logprobs=logprobs,
            max_tokens_name=name,
        )
        spec = BackendSpec(name="b", kind="", base_url="", capabilities=able)
        body = dialect(spec)._request(EVERYTHING)
        openai = dialect is OpenAiChat
        assert ("temperature" in body) == temperature
        assert ("seed" in body) == (seed and openai)
        assert ("logprobs" in body) == ("top_logprobs" in body) == (logprobs and openai)
        assert ("response_format" in body) == (openai and structured.startswith("json_"))
        assert ("output_config" in body) == (not openai and structured == "json_schema")
        assert ("tools" in body) == ("tool_choice" in body) == (structured == "tool")
        bound = name if openai else "max_tokens"
        assert [key for key in NAMES if key in body] == [bound]


async def test_what_the_ask_leaves_out_is_not_sent() -> None:
    able = Capabilities(seed=True, logprobs=True)
    body = await sent(ask(), capabilities=able)
    assert body.keys() == {"model", "messages", "max_completion_tokens"}


async def test_words_and_schemas_arrive_as_they_are() -> None:
    other = {"type": "object", "properties": {"other": {}}}
    odd = '\0user\0"\\ \ud800 \N{SNOWMAN}'
    asks = [
        ask(schema=SCHEMA),
        ask(schema=SCHEMA, user="second"),
        ask(schema=other, user="third"),
        ask(schema=SCHEMA, user=odd, system=odd),
        ask(schema=SCHEMA, user="fifth", system=odd),
    ]
    with FakeLlm() as fake:
        async with asking(fake) as backend:
            for one in asks:
                await backend.complete(one, 10)
        bodies = fake.requests
    for one, body in zip(asks, bodies, strict=True):
        assert [message["content"] for message in body["messages"]] == [one.system, one.user]
        assert body["response_format"]["json_schema"]["schema"] == one.schema


async def test_a_prompt_of_megabytes_is_sent() -> None:
    body = await sent(ask(user="x" * (3 << 20)))
    assert len(body["messages"][1]["content"]) == 3 << 20


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("openai_chat", "content-type", "application/json"),
        ("openai_chat", "accept-encoding", "identity"),
        ("openai_chat", "x-tenant", "acme"),
        ("anthropic_messages", "x-tenant", "acme"),
        ("anthropic_messages", "anthropic-version", "2023-06-01"),
        ("anthropic_messages", "anthropic-beta", "x"),
    ],
)
async def test_headers(kind: str, name: str, value: str) -> None:
    mine = {"X-Tenant": "acme", "anthropic-beta": "x"}
    with FakeLlm() as fake:
        async with asking(fake, kind, headers=mine) as backend:
            await backend.complete(ask(), 10)
        headers = fake.calls[0].headers
    assert headers[name] == value
    assert headers["user-agent"].startswith("consensus/")
    assert not {"authorization", "x-api-key", "cookie"} & headers.keys()


async def test_a_header_of_the_file_replaces_the_usual_one() -> None:
    with FakeLlm() as fake:
        async with asking(fake, KINDS[1], headers={"anthropic-VERSION": "later"}) as backend:
            await backend.complete(ask(), 10)
            session: Any = backend._transport._session  # type: ignore[attr-defined]
            assert session.headers.getall("anthropic-version") == ["later"]
        assert fake.calls[0].headers["anthropic-version"] == "later"
