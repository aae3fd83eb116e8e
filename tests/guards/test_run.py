"""Laws of the guards, over any run of any worker and any judges."""

from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.decision import Verdict
from consensus.domain.guards import (
    Cadence,
    GoalGuards,
    GuardAction,
    Guards,
    TurnGuards,
    TurnJudge,
    WithoutKeys,
)
from consensus.domain.submission import Submission
from consensus.domain.turn import EarlierTurn, GoalStatus, Turn
from consensus.guards import missing_keys, run_after, run_before
from tests.guards.running import calls, criterion, keys
from tests.wire.submissions import received

STRICTNESS = [Verdict.ACCEPT, Verdict.RETRY, Verdict.ESCALATE]
actions = st.sampled_from(GuardAction)
guards = st.builds(
    Guards,
    max_iterations=st.none() | st.integers(1, 12),
    turns=st.none()
    | st.builds(
        TurnGuards,
        judge=st.sampled_from(TurnJudge),
        cadence=st.sampled_from(Cadence),
        on_stall=actions,
        stall_counts_empty=st.booleans(),
        on_tool_loop=actions,
        tool_loop_counts_failed=st.booleans(),
        without_keys=st.sampled_from(WithoutKeys),
        client_facing_feedback=st.booleans(),
        urgency=st.booleans(),
    ),
    goal=st.none() | st.builds(GoalGuards, on_plateau=actions, on_no_progress=actions),
)
findings = st.lists(
    st.builds(
        criterion,
        st.sampled_from(["C1", "C2", "C3"]),
        st.sampled_from(["met", "unmet", "inconclusive"]),
        required=st.booleans(),
        quoted=st.booleans(),
    ),
    max_size=3,
)
answers = st.tuples(st.sampled_from(STRICTNESS), findings)
moves = st.tuples(
    st.sampled_from(["", "Same.", "Other.", "Final answer: 42", "I cannot help with that."]),
    st.sampled_from([(), calls("search"), calls("search", failed=True), calls("ask_user")]),
    st.sampled_from([{}, {"plan": None}, {"plan": "three flights"}]),
)
facts = st.fixed_dictionaries(
    {
        "max_iterations": st.integers(1, 12),
        "judge_every_n_turns": st.integers(1, 4),
        "output_keys": st.sampled_from([(), keys("plan"), keys("plan?"), keys("plan", "note?")]),
        "client_facing": st.booleans(),
        "success_criteria": st.sampled_from(["", "Be specific."]),
    }
)


@settings(max_examples=40)
@given(guards, facts, st.lists(st.tuples(moves, answers), min_size=1, max_size=6))
def test_every_run_ends_within_its_cap(
    rules: Guards, run: dict[str, Any], script: list[tuple[Any, Any]]
) -> None:
    most = min(run["max_iterations"], rules.max_iterations or 12)
    earlier: list[EarlierTurn] = []
    for iteration in count():
        (text, tools, outputs), (verdict, criteria) = script[iteration % len(script)]
        turn = Turn(iteration=iteration, tool_calls=tools, earlier=tuple(earlier), **run)
        submission = Submission(task="Plan.", candidate=text, outputs=outputs, turn=turn)
        told = run_before(submission, rules)
        if told is None or told.verdict is None:
            told = run_after(submission, rules, verdict, criteria)
        if told.verdict is not Verdict.RETRY:
            break
        met = sum(c.status.value == "met" for c in criteria)
        earlier.append(EarlierTurn(text=text, tool_calls=tools, criteria_met=met))
    assert iteration < most


@settings(max_examples=30)
@given(guards, received, answers)
def test_the_guards_only_make_the_stages_stricter_and_never_accept_what_is_missing(
    rules: Guards, submission: Submission, answer: Any
) -> None:
    verdict, criteria = answer
    told = run_after(submission, rules, verdict, criteria)
    assert told.verdict is not None
    assert STRICTNESS.index(told.verdict) >= STRICTNESS.index(verdict)
    assert bool(told.reasons) or told.verdict is verdict
    if told.verdict is Verdict.ACCEPT:
        assert rules.goal is None or told.goal_status is GoalStatus.COMPLETE
        if rules.turns is not None and submission.turn is not None:
            assert not missing_keys(submission, submission.turn)


@settings(max_examples=30)
@given(guards, received)
def test_what_is_said_before_the_stages_always_has_a_reason(
    rules: Guards, submission: Submission
) -> None:
    told = run_before(submission, rules)
    assert told == run_before(submission, rules)
    assert told is None or told.reasons
    if told is not None and told.verdict is Verdict.ACCEPT and submission.turn is not None:
        assert not missing_keys(submission, submission.turn)


@settings(max_examples=10)
@given(received)
def test_a_policy_whose_guards_are_off_says_nothing(submission: Submission) -> None:
    alone = Submission(task=submission.task, candidate=submission.candidate)
    assert run_before(alone, Guards()) is None
    assert run_after(alone, Guards(), Verdict.ACCEPT, ()).reasons == ()
