"""Replies in prose: the last match counts, and no match is no score."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.prose import agreement, read_rows
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind, GradientResult, unit
from consensus.domain.judges import ProsePattern
from consensus.judges.llm.chat import Finish
from consensus.judges.llm.patterns import PAIRWISE, ProseReader
from tests.builders import criteria, submission
from tests.judges.llm.scripted import Line, ScriptedModel, answer, judge, says, told
from tests.virtual_clock import VIRTUAL

REPLIES = Path(__file__).parents[4] / "shared" / "data" / "judge_replies.jsonl.gz"
GRADES = (
    ProsePattern(match=r"(?i)verdict: good", score=1.0),
    ProsePattern(match=r"(?i)verdict: (fair|so-so)", score=0.5),
    ProsePattern(match=r"(?i)verdict: \w+", score=0.0),
)
PROSE = {
    "reply": "patterns",
    "patterns": GRADES,
    "missing_confidence": 0.6,
    "template": "Say GOOD or BAD.\n=== user ===\n$nonce $rubric $task $messages $candidate $ask",
}


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Verdict: good", 1.0),
        ("At first: verdict: good. But no.\nVERDICT: BAD", 0.0),
        ("Verdict: bad?\nNo, verdict: so-so.", 0.5),
        ("Verdict: fair", 0.5),
        ("é" * 50 + "verdict: good" + "é" * 50, 1.0),
    ],
)
def test_the_match_that_ends_last_counts_and_of_equals_the_first(text: str, score: float) -> None:
    assert ProseReader(GRADES).read(text).score == score


@pytest.mark.parametrize("text", ["", "It is good.", says(0.9), "x" * (2 << 20)])
def test_no_match_is_no_score(text: str) -> None:
    with pytest.raises(JudgeFailed) as failed:
        ProseReader(GRADES).read(text)
    assert failed.value.kind is FailureKind.UNREADABLE


@given(
    text=st.text()
    | st.lists(st.sampled_from(["verdict: ", "good", "fair", "bad ", "\n"])).map("".join)
)
def test_whatever_text_comes_the_score_is_one_of_the_patterns(text: str) -> None:
    try:
        opinion = ProseReader(GRADES).read(text)
    except JudgeFailed:
        return
    assert opinion.score in {1.0, 0.5, 0.0}
    assert unit(opinion.score or 0.0)


def test_an_expression_that_re2_does_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match="RE2"):
        ProseReader([ProsePattern(match="(", score=1.0)])


async def test_a_judge_in_prose_scores_without_findings_and_without_a_schema() -> None:
    model = ScriptedModel("I weigh it.\nVerdict: good")
    found = await answer(model, submission(rubric=criteria("C1")), **PROSE)
    assert isinstance(found, GradientResult)
    assert (found.score, found.confidence, found.findings) == (1.0, 0.6, ())
    assert found.metadata["parse_mode"] == "patterns"
    assert found.metadata["confidence_source"] == "missing"
    assert model.asked[0].schema is None
    assert model.asked[0].system == "Say GOOD or BAD."


@pytest.mark.parametrize(
    ("line", "kind", "asked"),
    [
        ("I cannot help.", FailureKind.UNREADABLE, 2),
        (told("Verdict: good", Finish.LENGTH), FailureKind.TRUNCATED, 2),
        (told("Verdict: good", Finish.REFUSED), FailureKind.REFUSED, 1),
    ],
)
async def test_a_judge_in_prose_fails_as_others_do(
    line: Line, kind: FailureKind, asked: int
) -> None:
    model = ScriptedModel(line)
    with pytest.raises(JudgeFailed) as failed:
        await answer(model, submission(), **PROSE)
    assert (failed.value.kind, len(model.asked)) == (kind, asked)


def test_a_judge_whose_pattern_does_not_compile_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="RE2"):
        judge(ScriptedModel(""), patterns=(ProsePattern(match="(", score=1.0),))


def test_the_documented_patterns_read_published_replies_as_their_publisher_did() -> None:
    if not REPLIES.is_file():
        pytest.skip("the published judge replies are not here")
    found = agreement(read_rows(REPLIES))
    assert found.false == 0
    assert found.neither == 52
    assert found.share > 0.99


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Output (a)", 1.0),
        (" Output (b).\n", 0.0),
        ("Output (a) is better. Hm. Therefore, Output (b) is better.", 0.0),
        ("Output (a) is better", None),
        ("Therefore Output (a) is better.", 1.0),
        ("Neither Output (a) nor Output (b) is better.", None),
        ("I doubt that Output (a) is better.", None),
        ("Output (b) is better if you ask me; I do not.", None),
    ],
)
def test_the_documented_patterns_need_a_whole_verdict(text: str, score: float | None) -> None:
    try:
        found = ProseReader(PAIRWISE).read(text).score
    except JudgeFailed:
        found = None
    assert found == score
