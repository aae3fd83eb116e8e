"""The order of a run: work, validate, fix, pause, judge. Touches no network and waits for nothing.

The course yields the calls to make, one by one, and is sent what they return; who drives it may
make them with or without an event loop. Between two calls the state is whole: a driver may stop
anywhere, and a new course goes on from the state.
"""

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from consensus.v1.decision_pb2 import Decision
from consensus.v1.submission_pb2 import Submission
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest
from consensus_client import expect
from consensus_client.loop.drafts import Attempt, draft_of, frozen
from consensus_client.loop.facts import called, facts, forget
from consensus_client.loop.proposals import Note, proposed
from consensus_client.loop.rules import LoopRules
from consensus_client.loop.state import VALIDATE, LoopState
from consensus_client.loop.turns import LoopStatus, Phase, Turn
from consensus_client.submissions import submission
from consensus_client.words import FindingStatus, GoalStatus, Verdict

EMPTY = "The draft is empty: it has neither a candidate nor outputs."
TURNS_SPENT = "TURNS_SPENT"
Steps: TypeAlias = Generator[Callable[[], Any], Any, None]


@dataclass(frozen=True, slots=True)
class Crew:
    """Who is called. Results may be awaitable, where the driver awaits.

    Raises TypeError on what cannot be called.
    """

    judge: Callable[..., Any]
    propose: Callable[[JudgeToolCallRequest, Note, LoopRules], Any]
    """Asks about a tool call and tells the answer to whoever notes it."""
    worker: Callable[[Attempt], Any]
    validate: Callable[..., Any] | None = None
    fix: Callable[..., Any] | None = None
    needs_person: Callable[..., Any] | None = None
    prepare: Callable[[Submission, LoopState], Submission] | None = None
    on_change: Callable[[LoopState], object] | None = None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        expect.function("worker", self.worker)
        for name in ("validate", "fix", "needs_person", "prepare", "on_change"):
            if getattr(self, name) is not None:
                expect.function(name, getattr(self, name))


def course(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    """Yield the calls that bring a run to its end, its pause, or `max_iterations`."""
    expect.typed("state", state, LoopState, "a LoopState, from begin()")
    if state.status is LoopStatus.EXHAUSTED and len(state.turns) < rules.max_iterations:
        state.status = LoopStatus.RUNNING
    phases = {
        Phase.WORK: _work,
        Phase.VALIDATE: _validate,
        Phase.FIX: _fix,
        Phase.ASK: _ask,
        Phase.JUDGE: _judge,
    }
    while state.status is LoopStatus.RUNNING:
        if len(state.turns) < rules.max_iterations:
            yield from phases[state.phase](state, rules, crew)
        else:
            state.status = LoopStatus.EXHAUSTED
        forget(state, rules.earlier_turns)
        _changed(state, crew)


def _work(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    def keep(outputs: Any) -> None:
        state.keep(outputs)
        _changed(state, crew)

    def propose(tool: str, arguments: Mapping[str, Any] | str | None = None) -> Any:
        request, note = proposed(state, rules.tools, tool, arguments)
        return crew.propose(request, note, rules)

    state.tool_calls = []
    attempt = Attempt(
        task=state.task,
        number=len(state.turns) + 1,
        max_iterations=rules.max_iterations,
        feedback=state.feedback,
        candidate=state.candidate,
        outputs=frozen(state.outputs),
        messages=tuple(dict(message) for message in state.messages),
        keep=keep,
        propose=propose,
    )
    begun = crew.clock()
    _take(state, (yield partial(crew.worker, attempt)))
    state.work_seconds = crew.clock() - begun
    state.feedback = ""  # used up
    state.phase = Phase.VALIDATE


def _validate(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    state.problems = []
    if not (state.candidate.strip() or state.outputs or state.tool_calls):
        state.problems = [EMPTY]  # which the server would refuse, and a model mends when told
    elif crew.validate is not None:
        state.problems = _listed((yield partial(crew.validate, state.draft)))
    if not state.problems:
        state.phase = Phase.ASK
    elif crew.fix is not None and state.fixes < rules.max_fixes:
        state.phase = Phase.FIX
    else:
        state.close(state.turn("RETRY", VALIDATE, "\n".join(state.problems)))


def _fix(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    if crew.fix is not None:  # as when the state was written, unless it is run by another loop
        _take(state, (yield partial(crew.fix, state.draft, list(state.problems))))
        state.fixes += 1
        state.cleared = False
    state.phase = Phase.VALIDATE


def _ask(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    question = ""
    if crew.needs_person is not None and not state.cleared:
        question = (yield partial(crew.needs_person, state.draft)) or ""
        if not isinstance(question, str):
            words = f"needs_person returned {type(question).__name__}"
            raise TypeError(f"{words}; must be a question as str, or None")
    if question:
        state.status, state.question = LoopStatus.PAUSED, question
    else:
        state.phase, state.request_id = Phase.JUDGE, str(uuid.uuid4())


def _judge(state: LoopState, rules: LoopRules, crew: Crew) -> Steps:
    judged = submission(
        state.task,
        state.candidate,
        criteria=state.criteria,
        outputs=state.outputs,
        messages=state.messages,
        context=state.context,
        turn=facts(state, rules.step, rules.max_iterations),
    )
    if crew.prepare is not None:
        judged = crew.prepare(judged, state)
    call = partial(
        crew.judge,
        judged,
        policy=rules.policy,
        overrides=rules.overrides,
        request_id=state.request_id,
        derive_criteria=None if state.criteria else rules.derive_criteria,
        max_cost_usd=rules.max_cost_usd,
        timeout_seconds=rules.timeout_seconds,
        metadata=rules.metadata,
    )
    begun = crew.clock()
    decision: Decision = yield call
    turn = _turn(state, decision, crew.clock() - begun)
    if decision.HasField("derived_rubric") and not state.criteria:
        state.criteria = list(decision.derived_rubric.criteria)
    state.close(turn)
    if TURNS_SPENT in turn.reasons and len(state.turns) >= rules.max_iterations:
        state.status = LoopStatus.EXHAUSTED  # this loop's own limit, which the guards know, too
        state.feedback = turn.feedback


def _take(state: LoopState, made: Any) -> None:
    """Make a draft the latest. Its outputs add to those kept; without a text the old one stays."""
    draft = draft_of(made)
    calls = called(draft.tool_calls)
    state.keep(draft.outputs)
    state.tool_calls += calls
    if draft.candidate or not (draft.outputs or calls):
        state.candidate = state.said = draft.candidate


def _turn(state: LoopState, decision: Decision, judge_seconds: float) -> Turn:
    panels = [each.consensus for each in decision.stages if each.HasField("consensus")]
    sure = bool(panels) and panels[-1].HasField("consensus_confidence")
    return state.turn(
        Verdict.name(decision.verdict),
        decision.stages[-1].stage if decision.stages else "policy",
        decision.feedback,
        reasons=[reason.code for reason in decision.reasons],
        score=decision.effective_score if decision.HasField("effective_score") else None,
        confidence=panels[-1].consensus_confidence if sure else None,
        findings={each.criterion_id: FindingStatus.name(each.status) for each in decision.criteria},
        evidence={
            each.criterion_id: [quotation.quote for quotation in each.evidence]
            for each in decision.criteria
            if each.evidence
        },
        request_id=state.request_id,
        decision_id=decision.decision_id,
        judge_seconds=judge_seconds,
        cost_usd=decision.usage.cost_usd if decision.usage.HasField("cost_usd") else None,
        goal_status=GoalStatus.name(decision.goal_status) if decision.goal_status else "",
        goal_confidence=(
            decision.goal_confidence if decision.HasField("goal_confidence") else None
        ),
    )


def _listed(problems: str | Iterable[str] | None) -> list[str]:
    """Return what is wrong. Raises TypeError for a bool, whose False could mean either."""
    if isinstance(problems, bool):
        raise TypeError("validate returned bool; must be a list of what is wrong, empty or None")
    found = [problems] if isinstance(problems, str) else list(problems or ())
    return [problem for problem in found if problem]


def _changed(state: LoopState, crew: Crew) -> None:
    if crew.on_change is not None:
        crew.on_change(state)
