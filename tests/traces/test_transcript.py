"""The same for conversations: whole under the budget, else a skeleton; expand and grep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.submission import Message
from consensus.traces import expand_transcript, grep_transcript, transcript_digest
from tests.traces.building import law

TALK = (
    Message("user", "Book a flight\nto Paris"),
    Message("assistant", "Sure."),
    Message("tool", '{"flight": "AF 1"}'),
)
LONG = tuple(Message("assistant", f"message {n} " + "word " * 20) for n in range(2_000))
messages = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=60)),
    max_size=8,
)


def test_a_short_conversation_is_told_whole() -> None:
    told = transcript_digest(TALK)
    assert told.text == (
        '[0] user: "Book a flight\\nto Paris"\n[1] assistant: Sure.\n[2] tool: {"flight": "AF 1"}'
    )
    assert told.whole


@pytest.mark.parametrize(("length", "whole"), [(32_758, True), (32_759, False)])
def test_a_conversation_is_told_up_to_32768_characters(length: int, whole: bool) -> None:
    told = transcript_digest([Message("user", "x" * length)])
    assert told.whole is whole
    assert told.tokens == (8_192 if whole else 34)


def test_a_long_conversation_is_told_as_its_skeleton() -> None:
    told = transcript_digest(TALK, full_tokens=3)
    assert told.text == (
        "Messages: 3\n\n[0] user (~9 tokens)\n[1] assistant (~5 tokens)\n[2] tool (~7 tokens)\n\n"
        "Use expand_transcript(indices) to see messages or grep_transcript(pattern) to search "
        "across them."
    )


def test_the_middle_of_a_long_skeleton_is_left_out_and_counted() -> None:
    told = transcript_digest(LONG)
    lines = [line for line in told.text.split("\n") if line.startswith("[")]
    assert told.tokens <= 4_096
    assert lines[0].startswith("[0] ")
    assert lines[-1].startswith("[1999] ")
    assert f"... [{2_000 - len(lines)} messages left out; grep_transcript and" in told.text


def test_messages_are_expanded_by_index_and_unknown_ones_are_named() -> None:
    found = expand_transcript(TALK, [2, 1, 1, 7, -1])
    assert found.text == (
        '[1] assistant: Sure.\n[2] tool: {"flight": "AF 1"}\n\n[There is no message -1, 7.]'
    )
    assert found.count == 2
    assert expand_transcript(TALK, [0]).text == '[0] user: "Book a flight\\nto Paris"'


@pytest.mark.parametrize("indices", [[], [3], [-1]])
def test_an_index_that_is_not_there_is_answered_with_the_range(indices: list[int]) -> None:
    found = expand_transcript(TALK, indices)
    assert found.text == "Error: no message has such an index; 0 to 2 exist."
    assert found.fault


def test_a_long_answer_is_cut() -> None:
    text = expand_transcript(LONG, range(2_000)).text
    assert len(text) < 16_384 + 200
    assert text.endswith(
        "grep_transcript(pattern) to search for specific content, or "
        "expand_transcript with fewer indices."
    )


def test_a_search_shows_the_messages_that_hold_the_pattern() -> None:
    assert grep_transcript(TALK, "PARIS").text == ('--- [0] user ---\n  "Book a flight\\nto Paris"')
    assert (
        grep_transcript(TALK, "flight\nto").text == "--- [0] user ---\n  Book a flight\\nto Paris"
    )
    assert grep_transcript(TALK, "flight").count == 2


def test_a_search_shows_20_messages_and_counts_the_others() -> None:
    found = grep_transcript(LONG, "word")
    assert found.count == 2_000
    assert found.text.count("---\n") == 20
    assert "[1980 more matches omitted." in found.text


def test_a_search_without_a_match_tells_the_roles() -> None:
    assert grep_transcript(TALK, "Rome").text == (
        'No matches found for "Rome". Roles present: user, assistant, tool'
    )
    assert grep_transcript(TALK, "").fault


def test_of_no_messages_nothing_is_told() -> None:
    nothing = "No messages recorded."
    assert transcript_digest([]).text == nothing
    assert expand_transcript([], [0]).text == nothing
    assert grep_transcript([], "x").text == nothing


@law
@given(messages, st.integers(0, 40), st.text(max_size=4), st.lists(st.integers(-9, 9)))
def test_no_conversation_breaks_it(
    talk: list[Message], full: int, pattern: str, indices: list[int]
) -> None:
    told = transcript_digest(talk, full)
    if talk and told.whole:
        assert told.tokens <= full
    found = grep_transcript(talk, pattern)
    holding = [each for each in talk if pattern and pattern in each.content]
    assert found.count >= sum(not each.content.strip().startswith(("{", "[")) for each in holding)
    expand_transcript(talk, indices).text.encode()
