"""Scenario: what becomes of a test, by the findings alone and never by a judge's own word.

A guard of a scenario is the one guard that may be milder than the stages: their gates weigh a
score, and a test has none. Any UNMET fails it, and what nobody can tell lets it go on.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from consensus.domain.decision import CriterionResult, ReasonCode, ScenarioOutcome, Verdict
from consensus.domain.gradient import FindingStatus
from consensus.domain.guards import Guards, ScenarioGuards
from consensus.domain.submission import Scenario, Submission
from consensus.domain.turn import Turn
from consensus.guards.caps import cap
from consensus.guards.outcome import GuardOutcome, listed, said

_VERDICTS = {
    ScenarioOutcome.CONTINUE: Verdict.RETRY,
    ScenarioOutcome.SUCCESS: Verdict.ACCEPT,
    ScenarioOutcome.FAILURE: Verdict.ESCALATE,
    ScenarioOutcome.INCONCLUSIVE: Verdict.ESCALATE,
}


def as_watched(submission: Submission, guards: Guards) -> Submission:
    """Return the submission as judges are to see it: with the most turns that the test has, and
    with the verdict required where it is. The same one where nothing is to be added.
    """
    facts, rules, turn = submission.scenario, guards.scenario, submission.turn
    if facts is None or rules is None or turn is None:
        return submission
    most = _most_turns(turn, guards, rules)
    required = _verdict_required(facts, turn, most)
    if most == turn.max_iterations and required is facts.verdict_required:
        return submission
    return replace(
        submission,
        turn=replace(turn, max_iterations=most),
        scenario=replace(facts, verdict_required=required),
    )


def without_criteria(submission: Submission, guards: Guards) -> GuardOutcome | None:
    """CONTINUE, or FAILURE where a verdict is required: there is nothing to ask a judge for."""
    facts = as_watched(submission, guards).scenario
    if facts is None or submission.rubric:
        return None
    outcome = ScenarioOutcome.FAILURE if facts.verdict_required else ScenarioOutcome.CONTINUE
    return _ended(outcome, ReasonCode.SCENARIO_NO_CRITERIA)


def scenario(
    submission: Submission, guards: Guards, criteria: Sequence[CriterionResult]
) -> GuardOutcome | None:
    """Say what becomes of the test by what the stages found; None where there is no test.

    No `criteria`: no stage judged any.
    """
    facts = as_watched(submission, guards).scenario
    if facts is None:
        return None
    unmet = _with(criteria, FindingStatus.UNMET)
    if unmet:
        words = f"UNMET: {listed(unmet)}."
        return _ended(ScenarioOutcome.FAILURE, ReasonCode.SCENARIO_FAILED, words)
    if criteria and all(c.status is FindingStatus.MET for c in criteria):
        return _ended(ScenarioOutcome.SUCCESS, ReasonCode.SCENARIO_SUCCEEDED)
    still = _with(criteria, FindingStatus.INCONCLUSIVE)
    words = f"INCONCLUSIVE: {listed(still)}." if still else "No criterion was judged."
    if facts.verdict_required:
        return _ended(ScenarioOutcome.INCONCLUSIVE, ReasonCode.SCENARIO_INCONCLUSIVE, words)
    return _ended(ScenarioOutcome.CONTINUE, ReasonCode.SCENARIO_CONTINUES, words)


def _ended(outcome: ScenarioOutcome, code: ReasonCode, words: str = "") -> GuardOutcome:
    message = f"{code.value} {words}".rstrip()
    return replace(said(code, message, verdict=_VERDICTS[outcome]), scenario_outcome=outcome)


def _with(criteria: Sequence[CriterionResult], status: FindingStatus) -> list[str]:
    return [criterion.criterion_id for criterion in criteria if criterion.status is status]


def _most_turns(turn: Turn, guards: Guards, rules: ScenarioGuards) -> int:
    return min(cap(turn, guards), rules.max_turns)


def _verdict_required(facts: Scenario, turn: Turn, most: int) -> bool:
    """Tell whether the test must end: the caller says so, or this is its last turn or beyond."""
    return facts.verdict_required or turn.iteration >= most - 1
