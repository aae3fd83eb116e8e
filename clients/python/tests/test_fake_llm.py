"""The scripted model server itself: both dialects, every trouble, and what it remembers."""

import asyncio
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from consensus_client.testing import (
    FakeLlm,
    LlmAnswer,
    LlmCall,
    contradictory,
    delayed,
    dripping,
    error_in_200,
    garbage,
    half,
    hang,
    http_error,
    huge,
    llm_reply,
    llm_tool_calls,
    wrong_schema,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "verdict": {"enum": ["pass", "fail"]},
        "why": {"type": "string", "minLength": 10},
        "quotes": {"type": "array", "minItems": 1, "items": {"type": ["string", "null"]}},
        "sure": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "left_out": {"type": "string"},
        "nothing": {"const": None},
        "short": {"type": "string", "maxLength": 3},
    },
    "required": ["score", "verdict", "why", "quotes", "sure", "nothing", "short"],
}
FITS = {
    "score": 1,
    "verdict": "pass",
    "why": "scripted..",
    "quotes": ["scripted"],
    "sure": False,
    "nothing": None,
    "short": "scr",
}
FORMATS = {
    "/chat/completions": {"response_format": {"json_schema": {"schema": SCHEMA}, "type": "x"}},
    "/messages": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
}
TOOLS = {
    "/chat/completions": {"type": "function", "function": {"name": "t", "parameters": SCHEMA}},
    "/messages": {"name": "t", "input_schema": SCHEMA},
}
OPENAI, ANTHROPIC = FORMATS
Answer = tuple[int, dict[str, str], bytes]


class Caller:
    """One connection to a scripted server."""

    def __init__(self, fake: FakeLlm, seconds: float = 10) -> None:
        url = urlsplit(fake.base_url)
        self._connection = http.client.HTTPConnection(url.netloc, timeout=seconds)
        self._path = url.path

    def post(self, path: str = OPENAI, headers: Any = None, **body: object) -> Answer:
        body.setdefault("model", "m")
        self._connection.request("POST", self._path + path, json.dumps(body), headers or {})
        response = self._connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return response.status, names, response.read()

    def close(self) -> None:
        self._connection.close()


@contextmanager
def serving(*answers: LlmAnswer, **more: Any) -> Iterator[tuple[FakeLlm, Caller]]:
    with FakeLlm(*answers, **more) as fake:
        caller = Caller(fake)
        yield fake, caller
        caller.close()


def text_of(answer: Answer) -> str:
    body = json.loads(answer[2])
    if "choices" in body:
        message = body["choices"][0]["message"]
        calls = message.get("tool_calls")
        return str(calls[0]["function"]["arguments"] if calls else message["content"])
    block = body["content"][0]
    return json.dumps(block["input"]) if block["type"] == "tool_use" else str(block["text"])


@pytest.mark.parametrize("path", FORMATS)
def test_without_a_script_the_schema_is_fitted(path: str) -> None:
    with serving() as (_, caller):
        assert text_of(caller.post(path)) == "ok"
        assert json.loads(text_of(caller.post(path, **FORMATS[path]))) == FITS
        assert json.loads(text_of(caller.post(path, tools=[TOOLS[path]]))) == FITS


CHOICES = {OPENAI: "auto", ANTHROPIC: {"type": "auto"}}
ASKED = ("look", {"at": "it"})


@pytest.mark.parametrize("path", FORMATS)
def test_tools_are_called_as_scripted_and_only_then(path: str) -> None:
    free = {"tools": [TOOLS[path]], "tool_choice": CHOICES[path]}
    with serving(llm_tool_calls(ASKED, ("broken", "{")), llm_reply("Enough.")) as (fake, caller):
        called = json.loads(caller.post(path, **free)[2])
        assert text_of(caller.post(path, **free)) == "Enough."
        assert (fake.calls[0].tools, fake.calls[0].tool, fake.calls[0].schema) == (("t",), "", None)
    if path == OPENAI:
        functions = [c["function"] for c in called["choices"][0]["message"]["tool_calls"]]
        assert functions == [
            {"name": "look", "arguments": '{"at": "it"}'},
            {"name": "broken", "arguments": "{"},
        ]
        assert called["choices"][0]["finish_reason"] == "tool_calls"
    else:
        blocks = [(b["name"], b["input"]) for b in called["content"]]
        assert blocks == [ASKED, ("broken", "{")]
        assert called["stop_reason"] == "tool_use"


def test_a_call_tells_what_its_messages_say() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "It rains."}
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None},
        {"role": "user", "content": [result, {"type": "text", "text": "Well?"}]},
    ]
    assert LlmCall("/", {}, {"messages": messages}).texts == ("Look.", "It rains.", "Well?")


def test_an_object_without_a_schema_is_empty() -> None:
    with serving() as (_, caller):
        assert text_of(caller.post(response_format={"type": "json_object"})) == "{}"


def test_answers_are_given_in_turn_and_the_last_repeats() -> None:
    with serving(llm_reply("a"), http_error(500), llm_reply("b")) as (fake, caller):
        assert [caller.post()[0] for _ in range(4)] == [200, 500, 200, 200]
        fake.script(lambda call: llm_reply(f"{call.body['model']} at {call.path}"))
        assert text_of(caller.post()) == "m at /v1/chat/completions"
        with pytest.raises(ValueError, match="at least one"):
            fake.script()


@pytest.mark.parametrize(
    ("finish", "openai", "anthropic"),
    [("stop", "stop", "end_turn"), ("length", "length", "max_tokens")],
)
def test_why_a_reply_ends_in_each_dialect(finish: str, openai: str, anthropic: str) -> None:
    with serving(llm_reply("x", finish, input_tokens=7, output_tokens=3)) as (_, caller):
        told = json.loads(caller.post()[2])
        assert told["choices"][0]["finish_reason"] == openai
        assert told["usage"] == {"prompt_tokens": 7, "completion_tokens": 3}
        told = json.loads(caller.post(ANTHROPIC)[2])
        assert told["stop_reason"] == anthropic
        assert told["usage"] == {"input_tokens": 7, "output_tokens": 3}


def test_a_refusal_is_one_in_each_dialect() -> None:
    with serving(llm_reply("No.", "refusal")) as (_, caller):
        assert json.loads(caller.post()[2])["choices"][0]["message"]["refusal"] == "No."
        assert json.loads(caller.post(ANTHROPIC)[2])["stop_reason"] == "refusal"


def test_log_probabilities_are_told_where_asked_for() -> None:
    with serving(llm_reply("1", logprobs=[{"1": -0.1, "0": -2.3}])) as (_, caller):
        assert "logprobs" not in json.loads(caller.post()[2])["choices"][0]
        told = json.loads(caller.post(logprobs=True)[2])["choices"][0]["logprobs"]["content"][0]
    assert (told["token"], told["logprob"]) == ("1", -0.1)
    assert told["top_logprobs"][1] == {"token": "0", "logprob": -2.3}


def test_troubles_that_are_answers() -> None:
    troubles = (
        http_error(429, "busy", retry_after="2"),
        error_in_200(429, raw="{}"),
        garbage(b"?"),
        wrong_schema(),
        contradictory('{"a": 1}', '{"a": 2}'),
        huge(100_000),
    )
    with serving(*troubles) as (_, caller):
        status, headers, body = caller.post()
        assert (status, headers["retry-after"]) == (429, "2")
        assert json.loads(body)["error"]["code"] == "busy"
        status, _, body = caller.post()
        assert (status, json.loads(body)["choices"]) == (200, None)
        assert caller.post()[2] == b"?"
        assert "weather" in text_of(caller.post())
        calls = json.loads(caller.post()[2])["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["arguments"] for call in calls] == ['{"a": 1}', '{"a": 2}']
        assert len(text_of(caller.post())) == 100_000


def test_half_an_answer_ends_with_the_connection() -> None:
    whole = llm_reply("x" * 500)
    with serving(half(whole)) as (_, caller), pytest.raises(http.client.IncompleteRead) as cut:
        caller.post()
    assert 0 <= cut.value.expected - len(cut.value.partial) <= 1
    assert len(cut.value.partial) > 200


def test_none_of_an_answer_ends_with_the_connection() -> None:
    none = half(llm_reply("x" * 500), 0)
    with serving(none) as (_, caller), pytest.raises(http.client.RemoteDisconnected):
        caller.post()


def test_slow_answers_come() -> None:
    with serving(dripping(0.01, llm_reply("a"), 3), delayed(llm_reply("b"), 0.01)) as (_, caller):
        assert [text_of(caller.post()) for _ in range(2)] == ["a", "b"]


@pytest.mark.parametrize("answer", [hang(), delayed(llm_reply(), 60), dripping(60)])
def test_a_caller_that_leaves_is_seen(answer: LlmAnswer) -> None:
    with FakeLlm(answer) as fake:
        caller = Caller(fake, seconds=0.05)
        with pytest.raises(TimeoutError):
            caller.post()
        fake.wait_for_calls()
        assert not fake.calls[0].ended.is_set()
        caller.close()
        assert fake.calls[0].ended.wait(10)


def test_a_server_that_stops_leaves_no_caller_waiting() -> None:
    with FakeLlm(hang()) as fake:
        caller = Caller(fake)

        async def stop_under_a_call() -> None:
            call = asyncio.create_task(asyncio.to_thread(caller.post))
            await asyncio.to_thread(fake.wait_for_calls)
            await asyncio.to_thread(fake.stop)
            with pytest.raises(ConnectionError):
                await call

        asyncio.run(stop_under_a_call())
    caller.close()


def test_calls_and_connections_are_counted() -> None:
    with serving() as (fake, caller):
        caller.post(headers={"X-Tenant": "acme"}, seed=1)
        caller.post(ANTHROPIC)
        assert [call.path for call in fake.calls] == ["/v1/chat/completions", "/v1/messages"]
        assert fake.calls[0].headers["x-tenant"] == "acme"
        assert fake.requests == [{"model": "m", "seed": 1}, {"model": "m"}]
        assert fake.calls[0].parameters == {"model", "seed"}
        assert (fake.connection_count, fake.open_connections) == (1, 1)
        with pytest.raises(TimeoutError, match="2 of 3 calls"):
            fake.wait_for_calls(3, timeout_seconds=0.01)


def test_what_is_rejected_is_told_so() -> None:
    with serving(rejects=["seed", "json_schema"]) as (fake, caller):
        assert caller.post(seed=1)[0] == 400
        assert caller.post(response_format={"type": "json_schema", "json_schema": {}})[0] == 400
        assert caller.post(response_format={"type": "json_object"})[0] == 200
        assert len(fake.calls) == 3


def test_a_key_is_asked_for() -> None:
    with serving(key="sk-1") as (_, caller):
        assert caller.post()[0] == 401
        assert caller.post(headers={"Authorization": "Bearer sk-2"})[0] == 401
        assert caller.post(headers={"Authorization": "Bearer sk-1"})[0] == 200
        assert caller.post(ANTHROPIC, headers={"X-Api-Key": "sk-1"})[0] == 200


def test_other_addresses_are_not_found() -> None:
    with serving() as (_, caller):
        assert caller.post("/embeddings")[0] == 404


def test_a_call_without_a_schema_has_none() -> None:
    assert LlmCall("/", {}, {}).schema is None
    assert LlmCall("/", {}, {}).tool == ""


def test_a_server_that_does_not_run_has_no_address() -> None:
    fake = FakeLlm()
    with pytest.raises(RuntimeError, match="with"):
        _ = fake.base_url
    fake.stop()
