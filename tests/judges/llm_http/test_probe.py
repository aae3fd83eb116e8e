"""The probe finds out what a server accepts, whatever the file claims of it."""

from collections.abc import Collection

import pytest
from consensus_client.testing import (
    FakeLlm,
    LlmAnswer,
    LlmCall,
    error_in_200,
    hang,
    http_error,
    llm_reply,
    llm_tool_calls,
)
from consensus_client.testing.llm_answers import LlmReply

from consensus.domain.judges import BackendSpec, Capabilities, Price
from consensus.judges.llm.probe import Found, Probe, probe
from tests.judges.llm_http.asking import can

ALL = {
    "max_completion_tokens": Found.ACCEPTED,
    "usage": Found.ACCEPTED,
    "json_schema": Found.ACCEPTED,
    "json_object": Found.ACCEPTED,
    "tool": Found.ACCEPTED,
    "temperature": Found.ACCEPTED,
    "seed": Found.ACCEPTED,
    "logprobs": Found.ACCEPTED,
    "tools": Found.ACCEPTED,
}
ABLE = Capabilities(seed=True, logprobs=True, tools=True)
NONE = can(max_tokens_name="max_tokens")


def telling(call: LlmCall) -> LlmReply:
    """Reply with what was asked for, log probabilities included; call what may be called."""
    if call.tools and not call.tool:
        return llm_tool_calls(("tell", {"colour": "red"}))
    return llm_reply(logprobs=[{"a": -0.1}])


def talking(call: LlmCall) -> LlmReply:
    """Reply with prose, whatever was asked for."""
    return llm_reply("Red, I would say.", input_tokens=0)


async def probed(
    answer: LlmAnswer = telling,
    capabilities: Capabilities = ABLE,
    rejects: Collection[str] = (),
    kind: str = "openai_chat",
    seconds: float = 10,
) -> Probe:
    with FakeLlm(answer, rejects=rejects) as fake:
        spec = BackendSpec(
            name="b",
            kind=kind,
            base_url=fake.base_url,
            capabilities=capabilities,
            prices={"m": Price(input=1, output=1)},
        )
        found = await probe(spec, "m", call_seconds=seconds)
        assert len(fake.calls) <= 9
    return found


async def test_a_server_that_accepts_everything_contradicts_nothing() -> None:
    found = await probed()
    assert (found.reachable, found.key_accepted, found.trouble) == (True, True, "")
    assert found.found == ALL
    assert found.contradictions == ()


@pytest.mark.parametrize("rejected", ["json_schema", "temperature", "seed", "logprobs"])
async def test_what_is_claimed_and_rejected_is_a_contradiction(rejected: str) -> None:
    found = await probed(rejects=[rejected])
    assert found.found == {**ALL, rejected: Found.REJECTED}
    assert found.contradictions == (rejected,)


@pytest.mark.parametrize("rejected", ["json_object", "tools"])
async def test_of_the_structures_only_the_claimed_one_must_be_accepted(rejected: str) -> None:
    found = await probed(rejects=[rejected])
    as_tool = {"tool": Found.REJECTED} if rejected == "tools" else {}
    assert found.found == {**ALL, rejected: Found.REJECTED, **as_tool}
    assert found.contradictions == (("tools",) if rejected == "tools" else ())


async def test_what_is_accepted_and_not_claimed_is_no_contradiction() -> None:
    found = await probed(capabilities=can())
    assert found.found == ALL
    assert found.contradictions == ()


@pytest.mark.parametrize(
    ("wanted", "other"),
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")],
)
async def test_the_other_name_of_the_bound_is_tried(wanted: str, other: str) -> None:
    found = await probed(capabilities=can(max_tokens_name=wanted), rejects=[wanted])
    assert (found.found[wanted], found.found[other]) == (Found.REJECTED, Found.ACCEPTED)
    assert found.contradictions == (wanted,)
    assert found.found["tool"] is Found.ACCEPTED


async def test_a_server_that_ignores_what_it_is_asked_for_is_found_out() -> None:
    found = await probed(talking)
    for name in ("json_schema", "json_object", "tool", "logprobs", "tools", "usage"):
        assert found.found[name] is Found.IGNORED, name
    assert found.contradictions == ("json_schema", "logprobs", "tools", "usage")


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "tool"])
async def test_anthropic_has_no_seeds_and_no_logprobs(structured: str) -> None:
    able = can(structured=structured, temperature=True)
    found = await probed(capabilities=able, kind="anthropic_messages")
    absent = dict.fromkeys(("json_object", "seed", "logprobs"), Found.NOT_OFFERED)
    accepted = dict.fromkeys(
        ("max_tokens", "usage", "json_schema", "tool", "temperature", "tools"), Found.ACCEPTED
    )
    assert found.found == {**absent, **accepted}
    assert found.contradictions == (("json_object",) if structured == "json_object" else ())


async def test_a_cut_off_reply_says_nothing_against_a_structure() -> None:
    found = await probed(llm_reply('{"colo', "length"))
    assert found.found["json_schema"] is Found.ACCEPTED


@pytest.mark.parametrize(
    ("answer", "reachable", "key", "words"),
    [
        (http_error(401), True, False, "key is not accepted"),
        (http_error(404), True, True, "no such model"),
        (http_error(429), True, True, "too many requests"),
        (http_error(400), True, True, "does not accept the request"),
        (error_in_200(401), True, False, "key is not accepted"),
        (hang(), False, False, "did not answer in time"),
    ],
)
async def test_where_nothing_is_answered_nothing_is_claimed(
    answer: LlmAnswer, reachable: bool, key: bool, words: str
) -> None:
    found = await probed(answer, seconds=0.05 if words.startswith("did") else 10)
    assert (found.reachable, found.key_accepted) == (reachable, key)
    assert words in found.trouble
    assert found.found == {}
    assert found.contradictions == ()


async def test_a_limit_of_requests_says_nothing_about_a_capability() -> None:
    busy = http_error(429)
    with FakeLlm(llm_reply(), busy) as fake:
        spec = BackendSpec(name="b", kind="openai_chat", base_url=fake.base_url)
        found = await probe(spec, "m")
    assert found.found["json_schema"] is Found.UNKNOWN
    assert found.contradictions == ()


async def test_every_step_is_told() -> None:
    told: list[str] = []
    with FakeLlm() as fake:
        spec = BackendSpec(name="b", kind="openai_chat", base_url=fake.base_url)
        await probe(spec, "m", told.append)
    assert told == [name for name in ALL if name != "usage"]
