"""Asks one embedded judge in few words."""

from typing import Any

from hypothesis import strategies as st

from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, Finding, FindingStatus, GradientResult
from consensus.domain.ports import InstantJudge
from consensus.domain.submission import Check, Contains, Criterion, LengthLimit, Submission


def criterion(name: str, text: str = "Names the tower", **fields: Any) -> Criterion:
    """Return a criterion; `holds=True` or `holds=False` gives it a check that does or does not."""
    if "holds" in fields:
        limit = LengthLimit(min_chars=0 if fields.pop("holds") else 10**9)
        fields["checks"] = (Check(limit),)
    return Criterion(id=name, text=text, **fields)


def answer(judge: InstantJudge, candidate: str, *rubric: Criterion, **fields: Any) -> Answer:
    """Return what a judge answers about a candidate."""
    submission = Submission(task="t", candidate=candidate, rubric=rubric, **fields)
    return judge.evaluate_now(Evaluation(submission, Hierarchy()))


def gradient(
    judge: InstantJudge, candidate: str, *rubric: Criterion, **fields: Any
) -> GradientResult:
    """Return a judge's gradient; it must not abstain."""
    found = answer(judge, candidate, *rubric, **fields)
    assert isinstance(found, GradientResult), found
    return found


def statuses(result: GradientResult) -> dict[str, FindingStatus]:
    """Return the status of each finding by criterion."""
    return {finding.criterion_id: finding.status for finding in result.findings}


def finding(result: GradientResult, name: str) -> Finding:
    """Return the finding for one criterion."""
    return next(finding for finding in result.findings if finding.criterion_id == name)


WORDS = ["tower", "opens", "not", "the", "at", "nine", "ratings", "Don't", "1,000", "é", "x" * 300]
PIECES = st.sampled_from([*WORDS, ". ", "\n", "! ", " ", "... ", "TODO", "```", "I cannot help"])
CANDIDATES = st.text(max_size=100) | st.lists(PIECES, max_size=30).map(" ".join)
WEIGHTS = st.floats(5e-324, 1.7e308)
CRITERIA = st.builds(
    lambda text, weight, held: criterion("C", text, weight=weight, **held),
    st.text(max_size=30) | st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    WEIGHTS,
    st.sampled_from([{}, {"holds": True}, {"checks": (Check(Contains("tower")),)}]),
)
RUBRICS = st.lists(CRITERIA, max_size=4).map(
    lambda rubric: tuple(
        criterion(f"C{number}", one.text, weight=one.weight, checks=one.checks)
        for number, one in enumerate(rubric)
    )
)
OUTPUTS = st.dictionaries(
    st.sampled_from("ab"),
    st.recursive(
        st.none() | st.booleans() | st.floats() | CANDIDATES,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=4,
    ),
)
