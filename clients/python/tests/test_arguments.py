"""Arguments that nobody can mean are refused at once: what, where, its value, what it must be."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import grpc
import pytest
from consensus_client import AsyncConsensusClient, ConsensusClient, Overrides, criterion, tool_call
from consensus_client.loop import (
    AsyncJudgeLoop,
    Constraint,
    Draft,
    Goal,
    GoalCriterion,
    JudgeLoop,
    LoopRules,
    Ruling,
    Step,
    ToolRules,
    begin,
)
from consensus_client.testing import (
    FakeConsensus,
    FakeJudge,
    FakeLlm,
    accept,
    delayed,
    dripping,
    error,
    half,
    retry,
)

NOBODY = "127.0.0.1:1"
Call = Callable[[], object]


def keyed(**metadata: Any) -> Call:
    return lambda: ConsensusClient(NOBODY, metadata=metadata)


WRONG: list[tuple[Call, type[Exception], str]] = [
    # drafts
    (lambda: Draft(3), TypeError, "Draft.candidate is 3; must be a str"),  # type: ignore[arg-type]
    (lambda: Draft(None), TypeError, "Draft.candidate is None; must be a str"),  # type: ignore[arg-type]
    (lambda: Draft(b"x"), TypeError, "Draft.candidate is of type bytes; must be a str"),  # type: ignore[arg-type]
    (
        lambda: Draft("x", ["plan"]),  # type: ignore[arg-type]
        TypeError,
        'Draft.outputs is of type list; must be a mapping, such as {"city": "Lisbon"}',
    ),
    (
        lambda: Draft("x", tool_calls=[tool_call("a"), "b"]),  # type: ignore[list-item]
        TypeError,
        "Draft.tool_calls[1] is of type str; must be a ToolCall: make it with tool_call()",
    ),
    # rules
    (
        lambda: LoopRules(step="x"),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.step is of type str; must be a Step, such as Step(output_keys=['plan'])",
    ),
    (
        lambda: LoopRules(tools=["fs.write"]),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.tools is of type list; must be a ToolRules, such as ToolRules(policy='careful')",
    ),
    (
        lambda: LoopRules(overrides={}),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.overrides is of type dict; must be an Overrides or None",
    ),
    (
        lambda: LoopRules(derive_criteria=True),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.derive_criteria is True; must be a DeriveCriteria or None",
    ),
    (
        lambda: LoopRules(max_iterations="5"),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.max_iterations is of type str; must be a whole number, at least 1",
    ),
    (
        lambda: LoopRules(max_iterations=True),
        TypeError,
        "LoopRules.max_iterations is True; must be a whole number, at least 1",
    ),
    (
        lambda: LoopRules(max_fixes=1.5),  # type: ignore[arg-type]
        TypeError,
        "LoopRules.max_fixes is 1.5; must be a whole number, at least 0",
    ),
    (
        lambda: LoopRules(max_cost_usd=-1),
        ValueError,
        "LoopRules.max_cost_usd is -1; must be finite and above 0",
    ),
    (
        lambda: LoopRules(max_cost_usd=math.nan),
        ValueError,
        "LoopRules.max_cost_usd is nan; must be finite and above 0",
    ),
    (
        lambda: LoopRules(timeout_seconds=math.inf),
        ValueError,
        "LoopRules.timeout_seconds is inf; must be finite and above 0",
    ),
    (lambda: LoopRules(policy=None), TypeError, "LoopRules.policy is None; must be a str"),  # type: ignore[arg-type]
    (
        lambda: LoopRules(metadata={"tenant": 7}),  # type: ignore[dict-item]
        TypeError,
        "LoopRules.metadata['tenant'] is 7; must be a str or bytes",
    ),
    # the worker's step and tools
    (
        lambda: Step(output_keys=(key for key in "ab")),  # type: ignore[arg-type]
        TypeError,
        "Step.output_keys is of type generator; must be a list",
    ),
    (
        lambda: Step(output_keys=["plan", 2]),  # type: ignore[list-item]
        TypeError,
        "Step.output_keys[1] is 2; must be a str or an OutputKey",
    ),
    (
        lambda: Step(judge_every_n_turns=0),
        ValueError,
        "Step.judge_every_n_turns is 0; must be at least 1",
    ),
    (
        lambda: Step(client_facing="no"),  # type: ignore[arg-type]
        TypeError,
        "Step.client_facing is of type str; must be True or False",
    ),
    (
        lambda: ToolRules(criteria=["C1"]),  # type: ignore[list-item]
        TypeError,
        "ToolRules.criteria[0] is of type str; must be a Criterion: make it with criterion()",
    ),
    # goals
    (lambda: GoalCriterion(""), ValueError, "GoalCriterion.id is empty; must be such as 'C1'"),
    (
        lambda: GoalCriterion("C1", weight="1"),  # type: ignore[arg-type]
        TypeError,
        "weight of C1 is of type str; must be a number, from 0 to 1",
    ),
    (
        lambda: GoalCriterion("C1", weight=Decimal("0.5")),  # type: ignore[arg-type]
        TypeError,
        "weight of C1 is of type Decimal; must be a number, from 0 to 1",
    ),
    (lambda: GoalCriterion("C1", target=90), TypeError, "target of C1 is 90; must be a str"),  # type: ignore[arg-type]
    (lambda: Constraint(""), ValueError, "Constraint.id is empty; must be such as 'C1'"),
    (
        lambda: Goal([criterion("C1", "x")]),  # type: ignore[list-item]
        TypeError,
        "Goal.criteria[0] is of type Criterion; must be a GoalCriterion",
    ),
    (
        lambda: Goal([], counting="latest"),  # type: ignore[arg-type]
        ValueError,
        "Goal.counting is 'latest'; must be every or last",
    ),
    # a run
    (lambda: begin(""), ValueError, "task is empty; must be such as 'Plan a weekend in Lisbon.'"),
    (
        lambda: begin({"task": "x"}),  # type: ignore[arg-type]
        TypeError,
        "task is of type dict; must be a str, such as 'Plan a weekend in Lisbon.'",
    ),
    (
        lambda: begin("T", messages=["Hello"]),  # type: ignore[list-item]
        TypeError,
        'messages[0] is of type str; must be a mapping, such as {"role": "user", "content": "..."}',
    ),
    (
        lambda: begin("T", context=["x"]),  # type: ignore[arg-type]
        TypeError,
        'context is of type list; must be a mapping, such as {"city": "Lisbon"}',
    ),
    # clients
    (
        lambda: ConsensusClient(""),
        ValueError,
        "target is empty; must be such as 'dns:///consensus:50051'",
    ),
    (
        lambda: ConsensusClient(NOBODY, timeout_seconds="60"),  # type: ignore[arg-type]
        TypeError,
        "timeout_seconds is of type str; must be a number, finite and above 0",
    ),
    (
        lambda: ConsensusClient(NOBODY, metadata=[("a", "b")]),  # type: ignore[arg-type]
        TypeError,
        'metadata is of type list; must be a mapping, such as {"traceparent": "..."}',
    ),
    (keyed(tenant=7), TypeError, "metadata['tenant'] is 7; must be a str or bytes"),
    # fakes
    (
        lambda: error("UNAVAILABLE"),  # type: ignore[arg-type]
        TypeError,
        "code is of type str; must be such as grpc.StatusCode.UNAVAILABLE",
    ),
    (lambda: delayed(accept(), -1), ValueError, "seconds is -1; must be finite and at least 0"),
    (lambda: half(share=1.5), ValueError, "share is 1.5; must be from 0 to 1"),
    (lambda: dripping(math.inf), ValueError, "seconds is inf; must be finite and at least 0"),
    (lambda: dripping(1, pieces=0), ValueError, "pieces is 0; must be at least 1"),
    (
        lambda: FakeConsensus(accept(), "retry"),  # type: ignore[arg-type]
        TypeError,
        "answers[1] is of type str; must be a message, error(), delayed(), hang() or a function",
    ),
    (
        lambda: FakeJudge(0.9),  # type: ignore[arg-type]
        TypeError,
        "answers[0] is 0.9; must be a message, error(), delayed(), hang() or a function",
    ),
    (
        lambda: FakeLlm('{"score": 1}'),  # type: ignore[arg-type]
        TypeError,
        "answers[0] is of type str; must be llm_reply(), http_error() or such, or a function",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), WRONG, ids=[words for *_, words in WRONG])
def test_what_nobody_can_mean_is_refused_in_the_callers_words(
    call: Call, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == words


def test_what_may_be_meant_is_taken() -> None:
    plain = LoopRules(1, 0, max_cost_usd=1, timeout_seconds=0.5, overrides=Overrides())
    assert plain.max_cost_usd == 1
    assert Step(output_keys=("plan",)).output_keys == ("plan",)
    assert GoalCriterion("C1", weight=1).weight == 1
    assert GoalCriterion("C1", weight=Fraction(1, 2)).weight == 0.5  # type: ignore[arg-type]
    assert half(share=0).share == 0
    begin(" ", messages=[{"role": "user", "content": ""}])


def test_a_message_with_other_keys_is_refused_before_anybody_works() -> None:
    with pytest.raises(ValueError, match="rolle"):
        begin("T", messages=[{"rolle": "user", "content": "x"}])


@pytest.mark.parametrize("hook", ["validate", "fix", "needs_person", "prepare", "on_change"])
def test_a_hook_that_cannot_be_called_is_refused_before_anybody_works(hook: str) -> None:
    hooks: dict[str, Any] = {hook: "x"}
    with (
        ConsensusClient(NOBODY) as client,
        pytest.raises(TypeError, match=rf"^{hook} is of type str; must be a function$"),
    ):
        JudgeLoop(client, lambda attempt: "x", **hooks)


async def test_a_loop_takes_its_own_client_worker_rules_goal_and_state() -> None:
    def work(attempt: object) -> str:
        raise AssertionError

    other: Any
    async with AsyncConsensusClient(NOBODY) as client:
        with ConsensusClient(NOBODY) as other:
            with pytest.raises(TypeError, match="for this one there is JudgeLoop"):
                AsyncJudgeLoop(other, work)
            with pytest.raises(TypeError, match="for this one there is AsyncJudgeLoop"):
                JudgeLoop(client, work)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="worker is of type str; must be a function"):
                JudgeLoop(other, "write")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="rules is of type dict; must be a LoopRules"):
                JudgeLoop(other, work, {"max_fixes": 1})  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="goal is of type str; must be a Goal"):
                JudgeLoop(other, work, goal="x")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="state is of type str; must be a LoopState"):
                JudgeLoop(other, work).run("Task")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"state is of type str; .* from begin\(\)"):
            await AsyncJudgeLoop(client, work).run("Task")  # type: ignore[arg-type]


def test_a_persons_words_are_words_or_nothing_changes() -> None:
    state = begin("Task")
    with (
        FakeConsensus(retry("More."), accept()) as fake,
        ConsensusClient(fake.target) as client,
    ):
        loop = JudgeLoop(client, lambda attempt: "x", needs_person=lambda draft: "May I?")
        loop.run(state)
        before = state.to_json()
        wrong: list[dict[str, Any]] = [{"candidate": 3}, {"outputs": ["a"]}]
        for changes in wrong:
            with pytest.raises(TypeError, match="must be a"):
                state.answer(Ruling.MODIFY, **changes)
        with pytest.raises(TypeError, match="text is None; must be a str"):
            state.answer(Ruling.REJECT, None)  # type: ignore[arg-type]
        assert state.to_json() == before
        assert not fake.calls


def test_metadata_of_a_call_is_looked_at_before_it_is_made() -> None:
    with FakeConsensus() as fake, ConsensusClient(fake.target) as client:
        with pytest.raises(TypeError, match=r"metadata\['tenant'\] is 7; must be a str or bytes"):
            client.list_policies(metadata={"tenant": 7})  # type: ignore[dict-item]
        assert not fake.calls


def test_an_error_has_a_status_of_grpc() -> None:
    assert error(grpc.StatusCode.ABORTED).code is grpc.StatusCode.ABORTED
