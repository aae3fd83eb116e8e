"""Between the steps: validate, fix, validate; back to the worker; pause for a person."""

from collections.abc import Sequence
from typing import Any

import pytest
from consensus_client.loop import (
    Attempt,
    Draft,
    LoopRules,
    LoopState,
    LoopStatus,
    Ruling,
    begin,
)
from consensus_client.testing import FakeConsensus, accept, escalate, retry

ONE = LoopRules(max_iterations=1)


def write(attempt: Attempt) -> str:
    return "cost: unknown"


def numbers(draft: Draft) -> list[str]:
    return [] if draft.candidate.endswith("900") else ["The cost is not a number."]


def mend(draft: Draft, problems: Sequence[str]) -> str:
    assert problems == ["The cost is not a number."]
    return "cost: 900"


def test_what_is_invalid_is_fixed_and_validated_again(run: Any) -> None:
    seen: list[str] = []

    def validate(draft: Draft) -> list[str]:
        seen.append(draft.candidate)
        return numbers(draft)

    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), write, ONE, validate=validate, fix=mend)
        assert [request.submission.candidate for request in fake.requests] == ["cost: 900"]
    assert seen == ["cost: unknown", "cost: 900"]
    assert (report.status, report.turns[0].fixes) == (LoopStatus.ACCEPTED, 1)


def test_without_a_fixer_it_goes_back_to_the_worker_and_no_judge_is_asked(run: Any) -> None:
    def writing(attempt: Attempt) -> str:
        return "cost: 900" if attempt.feedback == "The cost is not a number." else "cost: unknown"

    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), writing, validate=numbers)
        assert len(fake.calls) == 1
    assert [turn.decided_by for turn in report.turns] == ["validate", "scripted"]
    assert report.turns[0].request_id == ""
    assert report.scorecard.decision_count == 1


def test_a_fixer_that_never_mends_is_asked_max_fixes_times(run: Any) -> None:
    calls: list[str] = []

    def useless(draft: Draft, problems: Sequence[str]) -> Draft:
        calls.append(draft.candidate)
        return draft

    rules = LoopRules(max_iterations=2, max_fixes=3)
    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), write, rules, validate=numbers, fix=useless)
        assert not fake.calls
    assert report.status is LoopStatus.EXHAUSTED
    assert len(calls) == 6
    assert [turn.fixes for turn in report.turns] == [3, 3]


@pytest.mark.parametrize("nothing", [None, [], "", [""], ()])
def test_nothing_wrong_can_be_said_in_many_ways(run: Any, nothing: Any) -> None:
    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), write, validate=lambda draft: nothing)
    assert report.status is LoopStatus.ACCEPTED


def test_one_problem_may_be_a_bare_string(run: Any) -> None:
    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), write, ONE, validate=lambda draft: "Too short.")
    assert report.turns[0].feedback == "Too short."


def ask(draft: Draft) -> str:
    return "May this be sent?"


def paused(run: Any, fake: FakeConsensus, **hooks: Any) -> LoopState:
    """Run until the pause, and hand the state over as a file would."""
    state = begin("Task")
    report = run(fake, state, write, needs_person=ask, **hooks)
    assert (report.status, report.question) == (LoopStatus.PAUSED, "May this be sent?")
    assert not fake.calls
    return LoopState.from_json(state.to_json())


def test_a_paused_run_stays_paused_until_a_person_answers(run: Any) -> None:
    with FakeConsensus() as fake:
        state = paused(run, fake)
        assert run(fake, state, write, needs_person=ask).status is LoopStatus.PAUSED
        assert not fake.calls


def test_approval_goes_on_to_the_judges(run: Any) -> None:
    with FakeConsensus() as fake:
        state = paused(run, fake)
        state.answer(Ruling.APPROVE, "Fine with me.")
        report = run(fake, state, write, needs_person=ask)
        [request] = fake.requests
    assert report.status is LoopStatus.ACCEPTED
    assert [(m.role, m.content) for m in request.submission.messages] == [("user", "Fine with me.")]


def test_a_person_s_change_goes_through_validation(run: Any) -> None:
    seen: list[str] = []

    def validate(draft: Draft) -> None:
        seen.append(draft.candidate)

    with FakeConsensus() as fake:
        state = paused(run, fake)
        state.answer(Ruling.MODIFY, candidate="cost: 800", outputs={"cost": 800})
        report = run(fake, state, write, validate=validate, needs_person=ask)
    assert seen == ["cost: 800"]
    assert (report.candidate, report.outputs) == ("cost: 800", {"cost": 800})


def test_a_fix_after_the_approval_is_asked_about_again(run: Any) -> None:
    with FakeConsensus() as fake:
        state = paused(run, fake)
        state.answer(Ruling.MODIFY, candidate="cost: none")
        hooks = {"validate": numbers, "fix": mend, "needs_person": ask}
        assert run(fake, state, write, **hooks).status is LoopStatus.PAUSED
        assert state.candidate == "cost: 900"
        state.answer()
        assert run(fake, state, write, **hooks).status is LoopStatus.ACCEPTED
    assert state.messages == []


def test_rejection_sends_back_with_the_person_s_words(run: Any) -> None:
    told: list[str] = []

    def writing(attempt: Attempt) -> str:
        told.append(attempt.feedback)
        return "cost: 900"

    with FakeConsensus() as fake:
        state = paused(run, fake)
        state.answer(Ruling.REJECT, "Give a number.")
        report = run(fake, state, writing)
    assert told == ["Give a number."]
    assert [turn.decided_by for turn in report.turns] == ["person", "scripted"]
    assert state.messages == []


def test_a_person_can_end_the_run(run: Any) -> None:
    with FakeConsensus() as fake:
        state = paused(run, fake)
        state.answer(Ruling.ABORT)
        report = run(fake, state, write)
        assert not fake.calls
    assert (report.status, report.decided_by) == (LoopStatus.ABORTED, "person")
    assert report.candidate == ""


def escalated(run: Any, fake: FakeConsensus) -> LoopState:
    state = begin("Task")
    assert run(fake, state, write).status is LoopStatus.ESCALATED
    return LoopState.from_json(state.to_json())


def test_an_escalated_draft_can_be_accepted_by_a_person(run: Any) -> None:
    with FakeConsensus(escalate()) as fake:
        state = escalated(run, fake)
        state.answer(Ruling.APPROVE)
        report = run(fake, state, write)
        assert len(fake.calls) == 1
    assert (report.status, report.decided_by) == (LoopStatus.ACCEPTED, "person")
    assert report.candidate == "cost: unknown"


def test_an_escalated_draft_can_be_changed_and_judged_again(run: Any) -> None:
    with FakeConsensus(escalate(), accept()) as fake:
        state = escalated(run, fake)
        state.answer(Ruling.MODIFY, "I know it.", candidate="cost: 900")
        report = run(fake, state, write)
        first, second = fake.requests
    assert (report.status, len(report.turns)) == (LoopStatus.ACCEPTED, 2)
    assert first.request_id != second.request_id
    assert second.submission.messages[0].content == "I know it."


def test_an_escalated_draft_can_be_sent_back(run: Any) -> None:
    told: list[str] = []

    def writing(attempt: Attempt) -> str:
        told.append(attempt.feedback)
        return "cost: 900"

    with FakeConsensus(escalate("For a person."), retry("Currency?"), accept()) as fake:
        state = escalated(run, fake)
        state.answer(Ruling.REJECT, "Give a number.")
        run(fake, state, writing)
    assert told == ["Give a number.", "Currency?"]


def test_a_person_s_ruling_does_not_lift_the_limit(run: Any) -> None:
    with FakeConsensus(escalate()) as fake:
        state = escalated(run, fake)
        state.answer(Ruling.REJECT, "Again.")
        assert run(fake, state, write, ONE).status is LoopStatus.EXHAUSTED
        assert len(fake.calls) == 1


def test_a_run_that_nobody_asked_about_takes_no_ruling() -> None:
    with pytest.raises(ValueError, match="RUNNING"):
        begin("Task").answer()


@pytest.mark.parametrize(("ruling", "change"), [("modify", {}), ("approve", {"candidate": "x"})])
def test_a_change_goes_with_modify_and_only_with_it(ruling: str, change: Any) -> None:
    state = LoopState("Task", status=LoopStatus.PAUSED)
    with pytest.raises(ValueError, match="MODIFY"):
        state.answer(Ruling(ruling), **change)
    assert state.status is LoopStatus.PAUSED


@pytest.mark.parametrize("ruling", ["REJECT", "aprove", "", None])
def test_a_word_that_is_no_ruling_passes_for_none(ruling: Any) -> None:
    state = LoopState("Task", status=LoopStatus.PAUSED)
    with pytest.raises(ValueError, match="is not a valid Ruling"):
        state.answer(ruling, "No.")
    assert state.status is LoopStatus.PAUSED
    assert not state.messages


def test_a_ruling_may_be_given_by_its_value() -> None:
    state = LoopState("Task", status=LoopStatus.PAUSED)
    state.answer("modify", candidate="Better.")  # type: ignore[arg-type]
    assert (state.candidate, state.status) == ("Better.", LoopStatus.RUNNING)


@pytest.mark.parametrize("fine", [True, False])
def test_a_validator_that_only_says_yes_or_no_is_told_what_it_must_say(
    run: Any, fine: bool
) -> None:
    with FakeConsensus() as fake:
        with pytest.raises(TypeError, match="validate returned bool; must be a list"):
            run(fake, begin("Task"), write, validate=lambda draft: fine)
        assert not fake.calls


def test_a_person_is_asked_in_words(run: Any) -> None:
    with FakeConsensus() as fake:
        with pytest.raises(TypeError, match="needs_person returned bool; must be a question"):
            run(fake, begin("Task"), write, needs_person=lambda draft: True)
        assert not fake.calls


@pytest.mark.parametrize("criteria", ["C1", ["C1"], [{"id": "C1", "text": "x"}]])
def test_criteria_that_are_none_are_refused_before_anybody_works(criteria: Any) -> None:
    with pytest.raises(TypeError, match=r"make it with criterion\(\)"):
        begin("Task", criteria=criteria)
