"""Work, judge, feedback, work: what ends a run, what a worker is told, what is sent."""

from typing import Any

import grpc
import pytest
from consensus_client import (
    Decision,
    DeriveCriteria,
    JudgeRequest,
    PreconditionError,
    ServerError,
    Submission,
    UnavailableError,
    criterion,
)
from consensus_client.loop import Attempt, Draft, LoopRules, LoopState, LoopStatus, begin
from consensus_client.testing import FakeConsensus, accept, error, escalate, retry


class Worker:
    """Writes "draft 1", "draft 2" and so on, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[Attempt] = []

    def __call__(self, attempt: Attempt) -> str:
        self.told.append(attempt)
        return f"draft {attempt.number}"


@pytest.fixture
def worker() -> Worker:
    return Worker()


def test_accept_ends_the_run_with_the_draft(run: Any, worker: Worker) -> None:
    with FakeConsensus(accept()) as fake:
        report = run(fake, begin("Task"), worker)
    assert (report.status, report.candidate) == (LoopStatus.ACCEPTED, "draft 1")
    assert (report.turns_to_completion, report.total_retries) == (1, 0)


def test_retry_sends_back_with_the_feedback(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry("Name the river."), retry("Name the city."), accept()) as fake:
        report = run(fake, begin("Task"), worker)
        judged = [request.submission.candidate for request in fake.requests]
    assert judged == ["draft 1", "draft 2", "draft 3"]
    assert [each.feedback for each in worker.told] == ["", "Name the river.", "Name the city."]
    assert (report.turns_to_completion, report.total_retries) == (3, 2)


def test_feedback_reads_as_a_user_message(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry("Name the river."), accept()) as fake:
        run(fake, begin("Task"), worker)
    messages = [each.feedback_message for each in worker.told]
    assert messages == ["", "[Judge feedback]: Name the river."]


def test_retry_without_feedback_just_tries_again(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry(""), accept()) as fake:
        run(fake, begin("Task"), worker)
    assert [each.feedback_message for each in worker.told] == ["", ""]


def test_old_feedback_does_not_come_back(run: Any, worker: Worker) -> None:
    kept: list[tuple[str, str]] = []
    with FakeConsensus(retry("Once."), retry(""), accept()) as fake:
        run(
            fake,
            begin("Task"),
            worker,
            on_change=lambda state: kept.append((state.phase, state.feedback)),
        )
    assert [phase for phase, feedback in kept if feedback] == ["WORK"]
    assert [each.feedback for each in worker.told] == ["", "Once.", ""]


def test_escalate_ends_the_run_without_a_result(run: Any, worker: Worker) -> None:
    state = begin("Task")
    with FakeConsensus(escalate("Look at this.")) as fake:
        report = run(fake, state, worker)
    assert report.status is LoopStatus.ESCALATED
    assert (report.candidate, report.turns_to_completion) == ("", None)
    assert state.candidate == "draft 1"
    assert report.turns[0].feedback == "Look at this."


def test_a_verdict_of_the_future_is_for_a_person(run: Any, worker: Worker) -> None:
    with FakeConsensus(Decision(verdict=7)) as fake:  # type: ignore[arg-type]
        report = run(fake, begin("Task"), worker)
    assert report.status is LoopStatus.ESCALATED
    assert report.turns[0].verdict == "VERDICT_7"
    assert report.decided_by == "policy"


def test_max_iterations_ends_the_run(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry("More.")) as fake:
        report = run(fake, begin("Task"), worker, LoopRules(max_iterations=3))
        assert len(fake.calls) == 3
    assert report.status is LoopStatus.EXHAUSTED
    assert (report.turns_to_completion, report.total_retries, len(worker.told)) == (None, 2, 3)
    assert worker.told[0].max_iterations == 3


def test_an_exhausted_run_goes_on_under_a_higher_limit(run: Any, worker: Worker) -> None:
    state = begin("Task")
    with FakeConsensus(retry("More."), retry("Still more."), accept()) as fake:
        for limit in (2, 2, 3):
            report = run(fake, state, worker, LoopRules(max_iterations=limit))
    assert report.status is LoopStatus.ACCEPTED
    assert [each.feedback for each in worker.told] == ["", "More.", "Still more."]


def test_a_run_that_is_over_is_only_reported(run: Any, worker: Worker) -> None:
    state = begin("Task")
    with FakeConsensus(accept()) as fake:
        assert run(fake, state, worker) == run(fake, state, worker)
        assert len(fake.calls) == len(worker.told) == 1


def test_every_attempt_has_a_request_id_of_its_own(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry("More."), accept()) as fake:
        report = run(fake, begin("Task"), worker)
        sent = [request.request_id for request in fake.requests]
    assert len(set(sent)) == 2
    assert [turn.request_id for turn in report.turns] == sent


def test_the_client_s_retries_are_the_only_ones(run: Any, worker: Worker) -> None:
    state = begin("Task")
    with FakeConsensus(error(grpc.StatusCode.UNAVAILABLE)) as fake:
        with pytest.raises(UnavailableError):
            run(fake, state, worker)
        assert len(fake.calls) == 3
        assert len({request.request_id for request in fake.requests}) == 1
    assert (state.status, state.turns) == (LoopStatus.RUNNING, [])


def test_a_failed_call_uses_up_no_turn_and_is_repeated_as_it_was(run: Any, worker: Worker) -> None:
    state = begin("Task")
    with FakeConsensus(error(grpc.StatusCode.INTERNAL), accept()) as fake:
        with pytest.raises(ServerError):
            run(fake, state, worker, LoopRules(max_iterations=1))
        report = run(fake, state, worker, LoopRules(max_iterations=1))
        first, second = fake.requests
    assert report.status is LoopStatus.ACCEPTED
    assert first == second
    assert len(worker.told) == 1


def test_rules_travel_with_every_request(run: Any, worker: Worker) -> None:
    state = begin(
        "Task",
        criteria=[criterion("C1", "Greets.")],
        context={"lang": "en"},
        messages=[{"role": "user", "content": "Hi"}],
    )
    rules = LoopRules(policy="strict", max_cost_usd=0.5, metadata={"x-tenant": "acme"})
    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, state, worker, rules)
        for call, request in zip(fake.calls, fake.requests, strict=True):
            assert call.metadata["x-tenant"] == "acme"
            assert (request.policy, request.max_cost_usd) == ("strict", 0.5)
            assert request.submission.rubric.criteria[0].id == "C1"
            assert request.submission.context["lang"] == "en"
            assert request.submission.messages[0].content == "Hi"


def test_derived_criteria_judge_all_turns(run: Any, worker: Worker) -> None:
    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, begin("Greet."), worker, LoopRules(derive_criteria=DeriveCriteria()))
        first, second = fake.requests
    assert first.HasField("derive_criteria")
    assert not second.HasField("derive_criteria")
    assert [each.id for each in second.submission.rubric.criteria] == ["C1"]


def test_a_submission_can_be_completed_before_it_is_sent(run: Any, worker: Worker) -> None:
    def prepare(submission: Submission, state: LoopState) -> Submission:
        submission.context["iteration"] = len(state.turns) + 1
        return submission

    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, begin("Task"), worker, prepare=prepare)
        numbers = [request.submission.context["iteration"] for request in fake.requests]
    assert numbers == [1, 2]


def test_outputs_gather_over_the_turns(run: Any) -> None:
    def travel(attempt: Attempt) -> Any:
        if attempt.number == 1:
            return {"flights": ["LH 1"], "hotels": ["Ritz"]}
        assert attempt.outputs == {"flights": ["LH 1"], "hotels": ["Ritz"]}
        return Draft("Booked.", {"cost": 900})

    def missing(request: JudgeRequest) -> Decision:
        keys = {"flights", "hotels", "cost"} - set(request.submission.outputs)
        return retry(f"Missing: {', '.join(sorted(keys))}") if keys else accept()

    with FakeConsensus(missing) as fake:
        report = run(fake, begin("Plan a journey."), travel)
    assert report.turns[0].feedback == "Missing: cost"
    assert report.candidate == "Booked."
    assert report.outputs == {"flights": ["LH 1"], "hotels": ["Ritz"], "cost": 900}


def test_outputs_are_published_on_accept_only(run: Any) -> None:
    state = begin("Task")
    with FakeConsensus(escalate()) as fake:
        report = run(fake, state, lambda attempt: {"flights": 1})
    assert report.outputs == {}
    assert state.outputs == {"flights": 1}


def test_what_a_worker_sees_is_not_the_state_itself(run: Any) -> None:
    def meddling(attempt: Attempt) -> str:
        with pytest.raises(TypeError):
            attempt.outputs["x"] = 1  # type: ignore[index]
        attempt.outputs.get("list", []).append(2)
        attempt.keep({"list": [1]})
        return "done"

    state = begin("Task")
    with FakeConsensus(retry("Again."), accept()) as fake:
        run(fake, state, meddling)
    assert state.outputs == {"list": [1]}


@pytest.mark.parametrize("made", [None, 7, Draft(outputs={"x": object()}), {"x": float("nan")}])
def test_what_is_no_draft_is_refused_before_a_judge_is_asked(run: Any, made: Any) -> None:
    state = begin("Task")
    with FakeConsensus() as fake:
        with pytest.raises((TypeError, ValueError)):
            run(fake, state, lambda attempt: made)
        assert not fake.calls
    assert state.outputs == {}


@pytest.mark.parametrize("nothing", ["", " \n", {}, Draft()])
def test_an_empty_draft_goes_back_and_no_judge_is_asked(run: Any, nothing: Any) -> None:
    def silent_at_first(attempt: Attempt) -> Any:
        return "words" if attempt.feedback.startswith("The draft is empty") else nothing

    with FakeConsensus() as fake:
        report = run(fake, begin("Task"), silent_at_first)
        assert len(fake.calls) == 1
    assert [turn.decided_by for turn in report.turns] == ["validate", "scripted"]


def test_a_policy_that_refuses_is_no_verdict(run: Any, worker: Worker) -> None:
    refused = error(grpc.StatusCode.FAILED_PRECONDITION, "POLICY_DISABLED")
    with FakeConsensus(refused) as fake, pytest.raises(PreconditionError):
        run(fake, begin("Task"), worker)


@pytest.mark.parametrize("limits", [{"max_iterations": 0}, {"max_fixes": -1}])
def test_limits_out_of_range_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        LoopRules(**limits)  # type: ignore[arg-type]


def test_every_change_is_told(run: Any, worker: Worker) -> None:
    phases: list[str] = []
    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, begin("Task"), worker, on_change=lambda state: phases.append(state.phase))
    assert phases == ["VALIDATE", "ASK", "JUDGE", "WORK"] * 2
