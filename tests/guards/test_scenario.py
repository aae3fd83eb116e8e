"""Scenario: the findings alone settle a test, and judges are told what only the policy knows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.domain.decision import ReasonCode, ScenarioOutcome, Verdict
from consensus.domain.guards import Guards, ScenarioGuards
from consensus.domain.submission import Criterion, Scenario, Submission
from consensus.domain.turn import Turn
from consensus.guards import as_watched, run_after, run_before
from tests.guards.running import codes, criterion

WATCHED = Guards(scenario=ScenarioGuards())
RUBRIC = (Criterion(id="C1", text="Holds C1"),)
VERDICTS = {
    ScenarioOutcome.CONTINUE: Verdict.RETRY,
    ScenarioOutcome.SUCCESS: Verdict.ACCEPT,
    ScenarioOutcome.FAILURE: Verdict.ESCALATE,
    ScenarioOutcome.INCONCLUSIVE: Verdict.ESCALATE,
}


def trial(required: bool = False, rubric: Any = RUBRIC, **facts: Any) -> Submission:
    """Return the submission of a test; without facts of a turn it has none."""
    return Submission(
        task="Book.",
        rubric=rubric,
        scenario=Scenario("A customer books.", verdict_required=required),
        turn=Turn(**facts) if facts else None,
    )


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize(
    ("found", "required", "outcome"),
    [
        (["met"], False, ScenarioOutcome.SUCCESS),
        (["met", "unmet"], False, ScenarioOutcome.FAILURE),
        (["met", "inconclusive"], False, ScenarioOutcome.CONTINUE),
        (["met", "inconclusive"], True, ScenarioOutcome.INCONCLUSIVE),
        ([], False, ScenarioOutcome.CONTINUE),
        ([], True, ScenarioOutcome.INCONCLUSIVE),
    ],
)
def test_the_outcome_follows_from_the_findings_whatever_the_stages_say(
    verdict: Verdict, found: list[str], required: bool, outcome: ScenarioOutcome
) -> None:
    criteria = [criterion(f"C{n}", status) for n, status in enumerate(found)]
    told = run_after(trial(required), WATCHED, verdict, criteria)
    assert told.scenario_outcome is outcome
    assert told.verdict is VERDICTS[outcome]
    assert len(told.reasons) == 1


def test_what_is_not_about_the_criteria_keeps_its_verdict() -> None:
    found = [criterion("C1", "met")]
    told = run_after(trial(), WATCHED, Verdict.ESCALATE, found, came_to_one=False)
    assert (told.verdict, told.scenario_outcome, told.reasons) == (Verdict.ESCALATE, None, ())


@pytest.mark.parametrize(
    ("guards", "submission"),
    [
        (WATCHED, Submission(task="Book.", turn=Turn(iteration=9))),
        (Guards(), trial(iteration=9)),
        (Guards(), trial(rubric=(), iteration=9)),
    ],
    ids=["no test", "no guards of a scenario", "no criteria either"],
)
def test_without_a_test_or_its_guards_nothing_is_said(
    guards: Guards, submission: Submission
) -> None:
    assert run_before(submission, guards) is None
    told = run_after(submission, guards, Verdict.ACCEPT, [criterion("C1", "unmet")])
    assert (told.verdict, told.scenario_outcome) == (Verdict.ACCEPT, None)
    assert as_watched(submission, guards) is submission


@pytest.mark.parametrize(
    ("required", "outcome"),
    [(False, ScenarioOutcome.CONTINUE), (True, ScenarioOutcome.FAILURE)],
)
def test_a_test_without_criteria_is_settled_before_the_stages(
    required: bool, outcome: ScenarioOutcome
) -> None:
    told = run_before(trial(required, rubric=()), WATCHED)
    assert told is not None
    assert (told.verdict, told.scenario_outcome) == (VERDICTS[outcome], outcome)
    assert codes(told) == [ReasonCode.SCENARIO_NO_CRITERIA]


def test_criteria_that_are_still_to_be_derived_are_waited_for() -> None:
    assert run_before(trial(rubric=()), WATCHED, deriving=True) is None
    assert run_before(trial(), WATCHED) is None


@pytest.mark.parametrize(
    ("facts", "guards", "most", "required"),
    [
        ({"iteration": 0}, WATCHED, 10, False),
        ({"iteration": 8}, WATCHED, 10, False),
        ({"iteration": 9}, WATCHED, 10, True),
        ({"iteration": 2, "max_iterations": 3}, WATCHED, 3, True),
        ({"iteration": 3}, replace(WATCHED, max_iterations=4), 4, True),
        ({"iteration": 9}, Guards(scenario=ScenarioGuards(max_turns=20)), 20, False),
    ],
)
def test_judges_see_the_turns_that_the_test_has_and_whether_it_ends(
    facts: dict[str, int], guards: Guards, most: int, required: bool
) -> None:
    shown = as_watched(trial(**facts), guards)
    assert shown.turn is not None
    assert shown.scenario is not None
    assert (shown.turn.max_iterations, shown.scenario.verdict_required) == (most, required)
    assert as_watched(shown, guards) is shown


def test_a_test_without_a_turn_is_shown_as_it_is() -> None:
    plain = trial()
    assert as_watched(plain, WATCHED) is plain


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["met", "unmet", "inconclusive"]), max_size=4),
    st.booleans(),
    st.integers(0, 12),
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from(Verdict),
)
def test_every_test_ends_in_its_last_turn_and_never_fails_for_what_is_open(
    found: list[str], required: bool, iteration: int, own: int, most: int, verdict: Verdict
) -> None:
    guards = Guards(scenario=ScenarioGuards(max_turns=most))
    submission = trial(required, iteration=iteration, max_iterations=own)
    told = run_after(
        submission, guards, verdict, [criterion(str(n), s) for n, s in enumerate(found)]
    )
    assert told.scenario_outcome is not None
    assert told.verdict is VERDICTS[told.scenario_outcome]
    assert (told.scenario_outcome is ScenarioOutcome.FAILURE) is ("unmet" in found)
    if required or iteration >= min(own, most) - 1:
        assert told.scenario_outcome is not ScenarioOutcome.CONTINUE
