"""What every embedded judge owes for any submission: numbers in range, true quotations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.config.build import EMBEDDED as NAMES
from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, GradientResult, unit
from consensus.domain.submission import Criterion, Submission
from consensus.judges.embedded import embedded_judges
from consensus.validators import Locator, run_checks
from tests.judges.embedded.judging import CANDIDATES, OUTPUTS, RUBRICS, answer

JUDGES = embedded_judges(run_checks)
EVERY = pytest.mark.parametrize("name", NAMES)


def test_the_embedded_judges_are_the_ones_that_policies_may_name() -> None:
    assert tuple(JUDGES) == NAMES
    for name, judge in JUDGES.items():
        assert (judge.name, judge.kind, judge.waits) == (name, "embedded", False)
        assert judge.description


@EVERY
@given(candidate=CANDIDATES, rubric=RUBRICS, outputs=OUTPUTS)
def test_scores_and_confidences_are_in_range(
    name: str, candidate: str, rubric: tuple[Criterion, ...], outputs: dict[str, object]
) -> None:
    given_answer = answer(JUDGES[name], candidate, *rubric, outputs=outputs)
    if isinstance(given_answer, GradientResult):
        assert unit(given_answer.score)
        assert unit(given_answer.confidence)
        assert all(unit(signal.score) for signal in given_answer.signals)


@EVERY
@given(candidate=CANDIDATES, rubric=RUBRICS, outputs=OUTPUTS)
def test_every_quotation_is_held_by_the_submission(
    name: str, candidate: str, rubric: tuple[Criterion, ...], outputs: dict[str, object]
) -> None:
    submission = Submission(task="t", candidate=candidate, rubric=rubric, outputs=outputs)
    given_answer = JUDGES[name].evaluate_now(Evaluation(submission, Hierarchy()))
    if isinstance(given_answer, GradientResult):
        locator = Locator(submission)
        for finding in given_answer.findings:
            assert all(locator.holds(evidence) for evidence in finding.evidence)


@EVERY
@given(candidate=CANDIDATES, rubric=RUBRICS, data=st.data())
def test_the_order_of_criteria_changes_no_number(
    name: str, candidate: str, rubric: tuple[Criterion, ...], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rubric))
    one, other = (numbers(answer(JUDGES[name], candidate, *each)) for each in (rubric, shuffled))
    assert one == pytest.approx(other)


def numbers(found: Answer) -> tuple[float, ...]:
    """Return score and confidence, or nothing of an abstention."""
    return (found.score, found.confidence) if isinstance(found, GradientResult) else ()


@EVERY
@given(candidate=CANDIDATES, rubric=RUBRICS)
def test_the_same_submission_gets_the_same_answer(
    name: str, candidate: str, rubric: tuple[Criterion, ...]
) -> None:
    judge = JUDGES[name]
    assert answer(judge, candidate, *rubric) == answer(judge, candidate, *rubric)


@EVERY
@pytest.mark.parametrize("candidate", ["a. " * 1_300_000, "\n" * 4_000_000, "x" * 4_000_000])
def test_the_longest_candidate_is_read_in_part(name: str, candidate: str) -> None:
    """The bounds that make it so have tests of their own, beside what they bound."""
    rubric = [Criterion(id=f"C{n}", text=f"Holds a, x and {n}") for n in range(256)]
    found = answer(JUDGES[name], candidate, *rubric)
    assert not isinstance(found, GradientResult) or found.confidence < 0.9
