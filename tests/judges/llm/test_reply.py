"""What a reply is read as: a table of everything that models send, and what fuzzing finds."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Evidence, FailureKind, FindingStatus, unit
from consensus.judges.llm.reading import MAX_CHARS, MAX_REPAIRED_CHARS, read_object
from consensus.judges.llm.reply import Opinion, read_opinion
from tests.judges.llm.scripted import finding, says

READABLE = {
    "as asked": (says(0.9, 0.8), "strict", 0.9),
    "a whole number": ('{"score": 1, "confidence": 0}', "strict", 1.0),
    "white space": ("\ufeff \n" + says(0.9) + "\n\n", "strict", 0.9),
    "a code fence": (f"```json\n{says(0.9)}\n```", "fenced", 0.9),
    "a fence without a language": (f"~~~~\n{says(0.9)}\n~~~~\n", "fenced", 0.9),
    "a trailing comma": ('{"findings": [], "score": 0.9, "confidence": 1,}', "repaired", 0.9),
    "a fence and a comma": ('```\n{"findings": [], "score": 0.9,\n}\n```', "repaired", 0.9),
    "typographic marks": ("{“score”: 0.9, “reasoning”: “It's fine, }”}", "repaired", 0.9),
    "marks and commas in text": (
        '{"reasoning": "He said “yes, ]”, then ,} and \\"no\\"", "score": 0.9,}',
        "repaired",
        0.9,
    ),
    "unknown names": ('{"score": 0.9, "mood": "good", "verdict": "pass"}', "strict", 0.9),
    "no opinion on the verdict": ('{"score": 0.9, "verdict": "needs work"}', "strict", 0.9),
    "an abstention": (says(None), "strict", None),
    "statuses in lower case": (says(0.9, findings={"C1": "met"}), "strict", 0.9),
}
UNREADABLE = {
    "nothing": "",
    "prose": "I would give it 0.9 out of 1.",
    "prose around the object": f"Here is my judgment: {says(0.9)}",
    "prose around a fence": f"The candidate says\n```json\n{says(1.0)}\n```\nand so do I.",
    "two objects": says(0.9) + says(0.1),
    "a list": f"[{says(0.9)}]",
    "half an object": '{"score": 0.8',
    "a fence left open": f"```json\n{says(0.9)}",
    "a fence closed by a shorter one": f"````json\n{says(0.9)}\n```",
    "single quote marks": "{'score': 0.9}",
    "a comment": '{"score": 0.9} // good',
    "no score": '{"confidence": 0.9}',
    "a score of text": '{"score": "0.9"}',
    "a score of truth": '{"score": true}',
    "a score above 1": '{"score": 7}',
    "a score below 0": '{"score": -0.1}',
    "a percentage": '{"score": 90%}',
    "not a number": '{"score": NaN}',
    "infinity": '{"score": Infinity}',
    "too large a number": '{"score": 1e999}',
    "a whole number of 5,000 digits": '{"score": ' + "9" * 5_000 + "}",
    "too deep": '{"score": 0.9, "findings": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a confidence above 1": '{"score": 0.9, "confidence": 80}',
    "a confidence of text": '{"score": 0.9, "confidence": "high"}',
    "a score that stands twice": '{"score": 0.9, "score": 0.1}',
    "an abstention that scores": '{"abstain": true, "score": 0.9}',
    "an abstention of text": '{"abstain": "no", "score": 0.9}',
    "a score of null and no abstention": '{"abstain": false, "score": null}',
    "reasoning that is no text": '{"score": 0.9, "reasoning": ["a"]}',
    "findings that are no list": '{"score": 0.9, "findings": {"C1": "MET"}}',
    "a finding that is text": '{"score": 0.9, "findings": ["MET"]}',
    "a finding of nothing": '{"score": 0.9, "findings": [{"status": "MET"}]}',
    "an unknown status": says(0.9, findings={"C1": "PARTIAL"}),
    "a criterion answered twice": says(
        0.9, findings=[finding("C1", "MET"), finding("C1", "UNMET")]
    ),
    "a quotation that is no text": says(0.9, findings=[finding("C1", "MET", 7)]),  # type: ignore[arg-type]
    "a message below 0": says(0.9, findings=[finding("C1", "MET", "a", index=-1)]),
    "a message of truth": says(0.9, findings=[finding("C1", "MET", "a", index=True)]),
    "a score and a verdict apart": '{"score": 0.75, "pass": false}',
    "a verdict in words": '{"score": 0.1, "verdict": "Accepted"}',
    "the best score for nothing met": says(1.0, findings={"C1": "UNMET", "C2": "UNMET"}),
    "the worst score for all met": says(0.0, findings={"C1": "MET"}),
    "2 MB": says(0.9, reasoning="x" * (2 << 20)),
    "2 MB of white space": says(0.9) + " " * (2 << 20),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_sound_reply_is_read(name: str) -> None:
    text, mode, score = READABLE[name]
    opinion = read_opinion(text)
    assert (opinion.mode, opinion.score) == (mode, score)


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unsound_reply_fails_and_is_never_quoted(name: str) -> None:
    with pytest.raises(JudgeFailed) as failed:
        read_opinion(UNREADABLE[name])
    assert failed.value.kind is FailureKind.UNREADABLE
    assert len(failed.value.reason) < 100


def test_findings_are_read_whole() -> None:
    said = [finding("C1", "UNMET", "a quote", index=2), finding("C2", "INCONCLUSIVE")]
    first, second = read_opinion(says(0.3, findings=said)).findings
    assert first.status is FindingStatus.UNMET
    assert first.evidence == (Evidence("a quote", 2),)
    assert first.notes == "On C1."
    assert (second.status, second.evidence) == (FindingStatus.INCONCLUSIVE, ())


def test_a_missing_confidence_is_missing() -> None:
    assert read_opinion('{"score": 0.9}').confidence is None
    assert read_opinion('{"score": 0.9, "confidence": null}').confidence is None


@pytest.mark.parametrize(("score", "worth"), [(0, 0.0), (9, 1.0), (3, 1 / 3)])
def test_a_digit_is_a_share_of_nine(score: int, worth: float) -> None:
    assert read_opinion(says(score), digit=True).score == worth


@pytest.mark.parametrize("score", [10, -1, 0.5, 3.0])
def test_what_is_no_digit_is_no_score(score: float) -> None:
    with pytest.raises(JudgeFailed):
        read_opinion(says(score), digit=True)


def read(text: str) -> Opinion | None:
    try:
        return read_opinion(text)
    except JudgeFailed:
        return None


words = st.text(max_size=20) | st.sampled_from(["“a”", ",}", '"', "\\", "```", "C1", '"score": 1'])
values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
unit_numbers = st.floats(0, 1)
findings = st.lists(
    st.builds(
        lambda name, status, quotes: finding(name, status, *quotes),
        words,
        st.sampled_from(["MET", "UNMET", "INCONCLUSIVE"]),
        st.lists(words, max_size=2),
    ),
    max_size=3,
    unique_by=lambda found: found["criterion_id"],
)


@st.composite
def sound_replies(draw: st.DrawFn) -> str:
    said: dict[str, Any] = {
        "findings": draw(findings),
        "reasoning": draw(words),
        "abstain": False,
        "score": draw(st.floats(0.01, 0.99)),
        "confidence": draw(unit_numbers),
    }
    text = json.dumps(
        said, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))
    )
    fence = draw(st.sampled_from(["", "```", "~~~~"]))
    return f"{fence}json\n{text}\n{fence}" if fence else text


@settings(max_examples=150)
@given(text=sound_replies(), cut=st.floats(0, 1, exclude_max=True))
def test_no_beginning_of_a_reply_is_a_reply(text: str, cut: float) -> None:
    assert read(text) is not None
    assert read(text[: int(cut * len(text))]) is None
    assert read(text[:-1]) is None


@given(text=sound_replies())
@settings(max_examples=10)
def test_no_beginning_at_all_is_a_reply(text: str) -> None:
    assert not any(read(text[:end]) for end in range(len(text)))


@pytest.mark.parametrize("name", [name for name in READABLE if name != "white space"])
def test_no_beginning_of_a_reply_in_the_table_is_a_reply(name: str) -> None:
    text = READABLE[name][0].rstrip()
    assert not any(read(text[:end]) for end in range(len(text)))


@settings(max_examples=150)
@given(said=st.dictionaries(st.sampled_from([*json.loads(says()), "pass", "verdict"]), values))
@example(said={"score": 10**400})
def test_whatever_json_comes_the_score_is_in_range_or_the_judge_fails(said: object) -> None:
    opinion = read(json.dumps(said))
    if opinion is not None:
        assert opinion.score is None or unit(opinion.score)
        assert opinion.confidence is None or unit(opinion.confidence)


@settings(max_examples=300)
@given(
    text=st.text()
    | st.lists(st.sampled_from([*'{}[]":,`~\n\\“” ', "score", "0.5", "1e9"])).map("".join)
)
def test_whatever_text_comes_nothing_but_a_failed_judge_is_raised(text: str) -> None:
    opinion = read(text)
    assert opinion is None or opinion.score is None or unit(opinion.score)


def test_the_longest_reply_is_read() -> None:
    fixed = len('{"score": 0.5, "reasoning": ""}')
    text = '{"score": 0.5, "reasoning": "' + "x" * (MAX_CHARS - fixed) + '"}'
    assert read_object(text)[1] == "strict"
    assert read(text + " ") is None


def test_the_longest_reply_that_is_mended_is_mended_and_a_longer_one_is_none() -> None:
    fixed = len('{"score": 0.5, "reasoning": "",}')
    text = '{"score": 0.5, "reasoning": "' + "x" * (MAX_REPAIRED_CHARS - fixed) + '",}'
    assert read_object(text)[1] == "repaired"
    assert read(text.replace("x", "xx", 1)) is None
