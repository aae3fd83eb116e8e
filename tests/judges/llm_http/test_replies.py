"""What a reply is read as, whoever wrote it, and that nothing in it can do harm."""

import json
import math
from typing import Any

import pytest
from consensus_client.testing import llm_reply
from consensus_client.testing.llm_answers import HttpAnswer
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.judges import BackendSpec, Price
from consensus.judges.llm.anthropic_messages import AnthropicMessages
from consensus.judges.llm.chat import Finish, Reply, Token
from consensus.judges.llm.failures import BackendFailed, inner_failure
from consensus.judges.llm.openai_chat import OpenAiChat
from tests.judges.llm_http.asking import FITS, KINDS, SCHEMA, SECRET, ask, can, reply_of

ABLE = can(structured="json_schema", logprobs=True)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
OPENAI = {
    "choices": [
        {
            "finish_reason": "stop",
            "message": {"content": "x", "refusal": None, "tool_calls": [{"function": {}}]},
            "logprobs": {"content": [{"token": "x", "top_logprobs": [{"logprob": 0}]}]},
        }
    ],
    "usage": {"prompt_tokens": 1, "prompt_tokens_details": {}, "completion_tokens": 1},
    "model": "m",
}
ANTHROPIC = {
    "content": [{"type": "text", "text": "x"}, {"type": "tool_use", "input": {}}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens_details": {"thinking_tokens": 1}},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("finish", "read"),
    [("stop", Finish.STOP), ("length", Finish.LENGTH), ("refusal", Finish.REFUSED)],
)
async def test_why_a_reply_ended(kind: str, finish: str, read: Finish) -> None:
    reply = await reply_of(llm_reply("Well", finish), kind=kind)
    assert reply.finish is read
    assert reply.model == "m"


async def test_a_filtered_reply_says_so() -> None:
    assert (await reply_of(llm_reply("", "content_filter"))).finish is Finish.FILTERED


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("structured", ["json_schema", "tool"])
async def test_a_structure_is_the_text_of_the_reply(kind: str, structured: str) -> None:
    able = can(structured=structured)
    reply = await reply_of(llm_reply(), ask(schema=SCHEMA), kind=kind, capabilities=able)
    assert json.loads(reply.text) == json.loads(FITS)


async def test_words_in_parts_are_joined() -> None:
    message = {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 3]}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert (await reply_of(HttpAnswer(200, json.dumps(body).encode()))).text == "ab"


async def test_thinking_is_no_part_of_the_text() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]
    body = {"content": blocks, "stop_reason": "end_turn"}
    answer = HttpAnswer(200, json.dumps(body).encode())
    assert (await reply_of(answer, kind="anthropic_messages")).text == "yes"


LOGPROBS = [{"0": -1.5, "1": -0.5, "2": -math.inf, "3": -(10**400)}, {"x": 0.0}]
TOLD = (Token("0", (("1", -0.5), ("0", -1.5))), Token("x", (("x", 0.0),)))


@pytest.mark.parametrize(("asked", "told"), [(5, TOLD), (0, ())])
async def test_tokens_come_with_their_alternatives_where_asked_for(asked: int, told: Any) -> None:
    answer = llm_reply("0x", logprobs=LOGPROBS)
    reply = await reply_of(answer, ask(top_logprobs=asked), capabilities=ABLE)
    assert reply.tokens == told


def mutated(value: Any, data: st.DataObject) -> Any:
    """Return `value` with junk somewhere in it."""
    if data.draw(st.integers(0, 4)) == 0 or not isinstance(value, dict | list) or not value:
        return data.draw(JUNK)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = data.draw(st.sampled_from(keys))
    copy = value.copy()
    copy[key] = mutated(value[key], data)
    return copy


@pytest.mark.parametrize(
    ("dialect", "sound"), [(OpenAiChat, OPENAI), (AnthropicMessages, ANTHROPIC)]
)
@given(data=st.data())
def test_whatever_stands_in_an_answer_it_is_a_reply_or_a_failure(
    dialect: Any, sound: Any, data: st.DataObject
) -> None:
    prices = {"m": Price(input=1, output=2)}
    spec = BackendSpec(name="b", kind="", base_url="", capabilities=ABLE, prices=prices)
    value = mutated(sound, data)
    try:
        reply = dialect(spec).reply(value if isinstance(value, dict) else {}, ask(top_logprobs=2))
    except BackendFailed:
        return
    assert isinstance(reply, Reply)
    assert isinstance(reply.text, str)
    usage = reply.usage
    assert 0 <= usage.input_tokens <= 3 << 40
    assert usage.cost_usd is None or (math.isfinite(usage.cost_usd) and usage.cost_usd >= 0)
    assert all(math.isfinite(logprob) for token in reply.tokens for _, logprob in token.top)


@given(error=JUNK, secret=st.sampled_from([SECRET, {"message": SECRET}, {"code": SECRET}]))
def test_no_error_makes_reading_it_fail_or_repeats_what_it_says(error: Any, secret: Any) -> None:
    for told in (error, secret, {"metadata": {"raw": error}}, {"code": error, "type": secret}):
        assert SECRET not in inner_failure(told, {}).reason
