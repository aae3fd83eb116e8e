"""What the judges are told of a run's turns, and tool calls that a worker proposes."""

import asyncio
from typing import Any

import grpc
import pytest
from consensus_client import (
    AsyncConsensusClient,
    ConsensusClient,
    Decision,
    Denial,
    FindingStatus,
    GoalStatus,
    OutputKey,
    Reason,
    ServerError,
    Verdict,
    criterion,
    tool_call,
)
from consensus_client.loop import (
    AsyncJudgeLoop,
    Attempt,
    Draft,
    JudgeLoop,
    LoopRules,
    LoopState,
    LoopStatus,
    Ruling,
    Step,
    ToolRules,
    begin,
)
from consensus_client.testing import FakeConsensus, accept, allow, deny, error, retry

STEP = Step(
    ["plan", OutputKey(name="notes", nullable=True)],
    success_criteria="Flight numbers.",
    description="Plans trips.",
    client_facing=True,
    judge_every_n_turns=2,
)


def watched(status: int, confidence: float, *findings: int) -> Decision:
    """Decide RETRY with these findings and a goal's status."""
    decision = retry("More.")
    decision.goal_status = status  # type: ignore[assignment]
    decision.goal_confidence = confidence
    for number, found in enumerate(findings):
        decision.criteria.add(criterion_id=f"C{number}", status=found)
    return decision


def test_every_request_tells_the_facts_of_its_turn(run: Any) -> None:
    def work(attempt: Attempt) -> Draft:
        calls = [tool_call("search", {"q": attempt.number}, failed=attempt.number == 1)]
        return Draft(f"Version {attempt.number}.", {"plan": attempt.number}, calls)

    met, unmet = FindingStatus.MET, FindingStatus.UNMET
    judged = watched(GoalStatus.PARTIAL, 0.75, met, unmet, met)
    state = begin("Task", criteria=[criterion("C0", "Holds.")])
    with FakeConsensus(judged, retry("Again."), accept()) as fake:
        report = run(fake, state, work, LoopRules(max_iterations=7, step=STEP))
        first, second, third = (request.submission.turn for request in fake.requests)
    assert (first.iteration, second.iteration, third.iteration) == (0, 1, 2)
    assert (first.max_iterations, first.judge_every_n_turns) == (7, 2)
    assert [(key.name, key.nullable) for key in first.output_keys] == [
        ("plan", False),
        ("notes", True),
    ]
    assert (first.success_criteria, first.node_description) == ("Flight numbers.", "Plans trips.")
    assert first.client_facing
    assert [(call.name, call.arguments, call.failed) for call in first.tool_calls] == [
        ("search", '{"q": 1}', True)
    ]
    assert not first.earlier
    one, two = third.earlier
    assert (one.text, one.tool_calls[0].failed, one.criteria_met) == ("Version 1.", True, 2)
    assert (one.goal_status, one.goal_confidence) == (GoalStatus.PARTIAL, 0.75)
    assert (two.text, two.HasField("criteria_met"), two.goal_status) == ("Version 2.", False, 0)
    assert [(turn.goal_status, turn.goal_confidence) for turn in report.turns] == [
        ("PARTIAL", 0.75),
        ("", None),
        ("", None),
    ]
    assert [turn.tool_calls for turn in report.turns] == [1, 1, 1]


@pytest.mark.parametrize(("kept", "told"), [(0, []), (2, [3, 4]), (5, [1, 2, 3, 4])])
def test_no_more_earlier_turns_are_kept_than_are_told(run: Any, kept: int, told: list[int]) -> None:
    state = begin("Task")
    rules = LoopRules(max_iterations=5, earlier_turns=kept)
    with FakeConsensus(retry("More.")) as fake:
        run(fake, state, lambda attempt: f"{attempt.number}", rules)
        last = fake.requests[-1].submission.turn
    assert [int(each.text) for each in last.earlier] == told
    assert len(state.earlier) == min(kept, 5)


@pytest.mark.parametrize("kept", [-1, 65])
def test_how_many_are_told_has_its_range(kept: int) -> None:
    with pytest.raises(ValueError, match="must be 0 to 64"):
        LoopRules(earlier_turns=kept)


def test_an_earlier_text_is_what_was_said_in_that_turn(run: Any) -> None:
    drafts = ["Words.", {"plan": 1}, Draft(tool_calls=[tool_call("search")]), "x" * 200_001, "End."]
    with FakeConsensus(retry("More.")) as fake:
        worker = lambda attempt: drafts[attempt.number - 1]  # noqa: E731
        run(fake, begin("Task"), worker, LoopRules(max_iterations=5))
        last, third = fake.requests[-1].submission, fake.requests[2].submission
    assert [each.text[:10] for each in last.turn.earlier] == ["Words.", "", "", "x" * 10]
    assert len(last.turn.earlier[-1].text) == 200_000
    assert (third.candidate, third.turn.tool_calls[0].name) == ("Words.", "search")


def test_a_fixer_s_words_and_calls_are_the_turn_s(run: Any) -> None:
    def work(attempt: Attempt) -> Draft:
        return Draft("bad", tool_calls=[tool_call("search")])

    def fix(draft: Draft, problems: Any) -> Draft:
        return Draft("good", tool_calls=[tool_call("mend")])

    hooks = {"validate": lambda draft: ["bad"] * (draft.candidate == "bad"), "fix": fix}
    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, begin("Task"), work, **hooks)
        earlier = fake.requests[1].submission.turn.earlier[0]
    assert (earlier.text, [call.name for call in earlier.tool_calls]) == (
        "good",
        ["search", "mend"],
    )


def test_a_person_s_words_are_what_was_said(run: Any) -> None:
    state = begin("Task")
    with FakeConsensus(retry("More."), accept()) as fake:
        run(fake, state, lambda attempt: "mine", needs_person=lambda draft: "May I?")
        state.answer(Ruling.MODIFY, candidate="theirs")
        run(fake, state, lambda attempt: "mine")
        assert fake.requests[1].submission.turn.earlier[0].text == "theirs"


def test_what_is_no_tool_call_is_refused(run: Any) -> None:
    with FakeConsensus() as fake, pytest.raises(TypeError, match="make it with tool_call"):
        run(fake, begin("Task"), lambda attempt: Draft("Words.", tool_calls=["search"]))  # type: ignore[list-item]


def spent(feedback: str) -> Decision:
    """Decide as guards do in the last turn."""
    return Decision(
        verdict=Verdict.ESCALATE, feedback=feedback, reasons=[Reason(code="TURNS_SPENT")]
    )


def test_the_loop_s_own_last_turn_is_exhausted_and_keeps_its_feedback(run: Any) -> None:
    state = begin("Task")
    with FakeConsensus(spent("Name the river."), accept()) as fake:
        run(fake, state, lambda attempt: "draft", LoopRules(max_iterations=1))
        assert (state.status, state.feedback) == (LoopStatus.EXHAUSTED, "Name the river.")
        report = run(fake, state, lambda attempt: attempt.feedback, LoopRules(max_iterations=2))
    assert (report.status, report.candidate) == (LoopStatus.ACCEPTED, "Name the river.")


def test_a_policy_s_earlier_end_is_for_a_person(run: Any) -> None:
    with FakeConsensus(spent("")) as fake:
        report = run(fake, begin("Task"), lambda attempt: "draft", LoopRules(max_iterations=9))
    assert report.status is LoopStatus.ESCALATED


def proposals(attempt: Attempt, *calls: Any) -> Any:
    """Return the answers, to be awaited where they are not there yet."""
    return [attempt.propose(*call) for call in calls]


def proposing(fake: FakeConsensus, state: LoopState, *calls: Any, **rules: Any) -> list[Any]:
    """Run an asyncio loop whose worker proposes these calls; return the answers."""
    answers: list[Any] = []

    async def work(attempt: Attempt) -> str:
        answers.extend([await each for each in proposals(attempt, *calls)])
        return "draft"

    async def go() -> None:
        async with AsyncConsensusClient(fake.target) as client:
            await AsyncJudgeLoop(client, work, LoopRules(**rules)).run(state)

    asyncio.run(go())
    return answers


CALLS = (("fs.write", {"path": "a"}), ("cmd.run", '{"broken'), ("fs.read",))


def test_a_denied_tool_call_comes_with_its_retry_signal_and_uses_up_no_turn() -> None:
    denied = deny("Nobody asked for a file.", Denial.REJECTED)
    state = begin("Write it down.")
    tools = ToolRules("careful", ["fs.write"], [criterion("T1", "Is asked for.")])
    with FakeConsensus(tool_calls=[denied, allow(), denied]) as fake:
        answers = proposing(fake, state, *CALLS, tools=tools)
        first, second, third = fake.tool_call_requests
    assert [answer.allowed for answer in answers] == [False, True, False]
    assert answers[0].retry_signal == "Nobody asked for a file."
    assert (first.task, first.policy, list(first.available_tools)) == (
        "Write it down.",
        "careful",
        ["fs.write"],
    )
    assert [each.id for each in first.rubric.criteria] == ["T1"]
    assert (second.call.arguments_json, third.call.WhichOneof("kind")) == ('{"broken', None)
    assert (len(state.turns), state.turns[0].denied) == (1, 2)
    history = [(each["status"], each["arguments_summary"]) for each in state.tool_history]
    assert history == [("blocked", '{"path": "a"}'), ("allowed", '{"broken'), ("blocked", "{}")]
    assert LoopState.from_json(state.to_json()) == state


def test_later_proposals_are_told_of_earlier_ones() -> None:
    def work(attempt: Attempt) -> str:
        for _ in range(60):
            attempt.propose("fs.write", {"content": "x" * 9_000})
        return "draft"

    state = begin("Task")
    with FakeConsensus(retry("More.")) as fake, ConsensusClient(fake.target) as client:
        JudgeLoop(client, work, LoopRules(max_iterations=2)).run(state)
        last = fake.tool_call_requests[-1]
    assert len(last.tool_audit_history) == len(state.tool_history) == 100
    assert {len(each.arguments_summary) for each in last.tool_audit_history} == {2_000}


def test_an_error_about_a_tool_call_is_no_allowance() -> None:
    state = begin("Task")
    refusing = FakeConsensus(tool_calls=[error(grpc.StatusCode.INTERNAL)])
    with refusing as fake, pytest.raises(ServerError):
        proposing(fake, state, CALLS[0])
    assert (state.status, state.turns, state.tool_history) == (LoopStatus.RUNNING, [], [])
