"""A call is allowed exactly where a rule is about it, its checks hold and, unless the rule skips
them, the judges pass it. No other path allows.
"""

import asyncio
from fnmatch import fnmatchcase
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.cascade import Engine
from consensus.cascade.tool_call import ToolCalls
from consensus.domain.decision import GateAnswer
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, GradientResult
from consensus.domain.guards import GoalGuards, Guards
from consensus.domain.policy import Action, PolicySet
from consensus.domain.tool_call import Denial, Proposal, ProposedToolCall
from consensus.domain.tools import ToolRule
from tests.builders import Instant, Watcher, policy, scores, stage
from tests.virtual_clock import VirtualClock

TOOLS = ("fs.read", "fs.write", "web.get")
GLOBS = ("fs.*", "fs.read", "*.get", "mail", "*")
SCHEMA = {"type": "object", "required": ["path"]}
unit = st.floats(0, 1)
scripts = st.one_of(
    st.builds(scores, unit, unit),
    st.sampled_from(
        [
            Abstention("cannot tell"),
            JudgeFailed(FailureKind.TIMEOUT, "late"),
            RuntimeError("boom"),
            None,
            "yes",
            scores(7.0),
            scores(float("nan")),
            scores(1.0, float("inf")),
        ]
    ),
)
rules = st.builds(
    ToolRule,
    match=st.sampled_from(GLOBS),
    policy=st.just("rules"),
    skip_judge=st.booleans(),
    json_schema=st.sampled_from([None, SCHEMA]),
    deny=st.sampled_from([(), ("secret",), ("(",)]),
)
calls = st.builds(
    ProposedToolCall,
    st.sampled_from(TOOLS),
    st.sampled_from([{}, {"path": "a"}, {"path": "secret"}, "", "{", '{"path": "a"}', "[]"]),
)
ACTIONS = (Action.RETRY, Action.ACCEPT, Action.ESCALATE, Action.FAIL)


def arguments_hold(rule: ToolRule, given: Any) -> bool:
    """Tell whether these arguments, of the few above, pass the checks."""
    path = {"{": None, "[]": None, "": "", '{"path": "a"}': "a"}.get(
        given if isinstance(given, str) else "", ""
    )
    if not isinstance(given, str):
        path = given.get("path", "")
    if path is None or (rule.json_schema is not None and not path):
        return False
    searched = rule.deny and path  # an empty object has nothing to search
    return not searched or (rule.deny == ("secret",) and path != "secret")


def passes(script: object, least: float) -> bool:
    if not isinstance(script, GradientResult):
        return False
    return 0.7 <= script.score <= 1 and least <= script.confidence <= 1


@settings(max_examples=300)
@given(
    st.lists(rules, max_size=3), calls, scripts, unit, st.sampled_from(ACTIONS), st.booleans(),
    st.sampled_from([(), TOOLS, ("mail",)]),
)  # fmt: skip
def test_only_a_matching_rule_sound_arguments_and_a_passing_panel_allow(
    tools: list[ToolRule],
    call: ProposedToolCall,
    script: object,
    least: float,
    action: Action,
    enabled: bool,
    available: tuple[str, ...],
) -> None:
    bench = stage("judge", min_confidence=least, on_no_quorum=action)
    policies = PolicySet(
        policies={"rules": policy(bench, enabled=enabled)},
        judges={},
        default="rules",
        tools=tuple(tools),
    )
    proposal = Proposal(task="Do it.", call=call, available_tools=available)
    verdict = asyncio.run(
        ToolCalls(Engine(VirtualClock())).judge(
            proposal,
            policies,
            {"judge": Instant("judge", script)},
            Watcher(),
            budget_seconds=1.0,
        )
    )
    rule = next((r for r in tools if fnmatchcase(call.name, r.match)), None)
    expected = (
        (not available or call.name in available)
        and rule is not None
        and arguments_hold(rule, call.arguments)
        and (rule.skip_judge or (enabled and passes(script, least)))
    )
    assert verdict.allowed == expected
    assert bool(verdict.retry_signal) == (not expected)
    assert len(verdict.retry_signal) <= 8_000


def test_a_call_that_the_judges_pass_and_a_guard_sends_back_is_denied() -> None:
    guarded = policy(stage("judge"), guards=Guards(goal=GoalGuards()))
    policies = PolicySet(
        policies={"rules": guarded},
        judges={},
        default="rules",
        tools=(ToolRule(match="*", policy="rules"),),
    )
    verdict = asyncio.run(
        ToolCalls(Engine(VirtualClock())).judge(
            Proposal(task="Do it.", call=ProposedToolCall("fs.read", {})),
            policies,
            {"judge": Instant("judge", scores(1.0))},
            Watcher(),
            budget_seconds=1.0,
        )
    )
    assert verdict.decision is not None
    assert verdict.decision.stages[-1].gate.answer is GateAnswer.PASS
    assert verdict.denial is Denial.REJECTED
