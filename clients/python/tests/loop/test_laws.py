"""Laws of every run: it ends within its limits, and interruptions change nothing."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from consensus_client import Decision, Submission
from consensus_client.loop import (
    Attempt,
    Draft,
    JudgeLoop,
    LoopRules,
    LoopState,
    LoopStatus,
    Ruling,
    begin,
)
from consensus_client.testing import accept, escalate, retry
from hypothesis import given
from hypothesis import strategies as st

VERDICTS = {"accept": accept, "escalate": escalate}
WHOLE_RUNS = 60


class Stopped(BaseException):
    """Anything that ends a call from outside."""


class World:
    """Everyone that a loop calls; does as the dice say, and writes down what counts."""

    def __init__(self, dice: Sequence[str], stops: Sequence[bool] = ()) -> None:
        self._dice = list(dice)
        self._stops = list(stops)
        self.feedback_given: list[str] = []
        self.feedback_used: list[str] = []
        self.judged: list[str] = []
        self.fixed = 0

    def loop(self, rules: LoopRules) -> JudgeLoop:
        client: Any = SimpleNamespace(judge=self.judge)
        hooks = {"validate": self.validate, "fix": self.fix, "needs_person": self.needs_person}
        return JudgeLoop(client, self.work, rules, **hooks)  # type: ignore[arg-type]

    def die(self) -> str:
        if self._stops and self._stops.pop(0):
            raise Stopped
        return self._dice.pop(0) if self._dice else "retry"

    def work(self, attempt: Attempt) -> str:
        die = self.die()
        self.feedback_used.append(attempt.feedback)
        return f"{attempt.number} {die}"

    def validate(self, draft: Draft) -> list[str]:
        return ["invalid"] if self.die() == "invalid" else []

    def fix(self, draft: Draft, problems: Sequence[str]) -> Draft:
        self.die()
        self.fixed += 1
        return draft

    def needs_person(self, draft: Draft) -> str:
        return "May I?" if self.die() == "pause" else ""

    def judge(self, submission: Submission, **more: Any) -> Decision:
        die = self.die()
        self.judged.append(submission.candidate)
        if die in VERDICTS:
            return VERDICTS[die]()
        self.feedback_given.append(f"feedback {len(self.feedback_given)}")
        return retry(self.feedback_given[-1])


dice = st.lists(st.sampled_from(["retry", "accept", "escalate", "invalid", "pause"]), max_size=60)
rules = st.builds(LoopRules, max_iterations=st.integers(1, 6), max_fixes=st.integers(0, 3))
rulings = st.lists(
    st.sampled_from([Ruling.APPROVE, Ruling.REJECT, Ruling.MODIFY]), min_size=1, max_size=8
)


def play(world: World, rules: LoopRules, rulings: Sequence[Ruling]) -> LoopState:
    """Run to the very end: a person rules on all that comes up, what is stopped is run again."""
    state = begin("Task")
    for count in range(WHOLE_RUNS):
        try:
            world.loop(rules).run(state)
        except Stopped:
            state = LoopState.from_json(state.to_json())
            continue
        if state.status not in (LoopStatus.PAUSED, LoopStatus.ESCALATED):
            return state
        ruling = rulings[count % len(rulings)]
        state.answer(ruling, candidate="changed" if ruling is Ruling.MODIFY else None)
    raise AssertionError("it never ends")


@given(dice, rules, rulings)
def test_a_run_always_ends_within_its_limits(
    dice: list[str], rules: LoopRules, rulings: list[Ruling]
) -> None:
    world = World(dice)
    state = play(world, rules, rulings)
    assert state.status in (LoopStatus.ACCEPTED, LoopStatus.EXHAUSTED)
    assert len(state.turns) <= rules.max_iterations
    assert len(world.feedback_used) <= rules.max_iterations
    assert len(world.judged) <= rules.max_iterations
    assert world.fixed <= rules.max_iterations * rules.max_fixes
    assert [turn.number for turn in state.turns] == list(range(1, len(state.turns) + 1))


@given(dice, rules)
def test_without_a_person_one_run_is_enough(dice: list[str], rules: LoopRules) -> None:
    state = begin("Task")
    report = World(dice).loop(rules).run(state)
    assert report.status is not LoopStatus.RUNNING


@given(dice, rules)
def test_feedback_is_used_once_and_at_once(dice: list[str], rules: LoopRules) -> None:
    world = World([die for die in dice if die not in ("invalid", "pause", "escalate")])
    play(world, rules, [Ruling.APPROVE])
    used = [words for words in world.feedback_used if words]
    assert used == world.feedback_given[: len(used)]
    assert len(world.feedback_given) - len(used) <= 1  # the last one, where the limit is reached


@given(dice, rules, st.lists(st.booleans(), max_size=25))
def test_interruptions_change_nothing(dice: list[str], rules: LoopRules, stops: list[bool]) -> None:
    whole, torn = World(dice), World(dice, stops)
    smooth, rough = (play(world, rules, [Ruling.APPROVE]) for world in (whole, torn))
    assert (whole.feedback_used, whole.judged) == (torn.feedback_used, torn.judged)
    assert (smooth.status, smooth.candidate) == (rough.status, rough.candidate)
    assert [(t.verdict, t.decided_by, t.fixes) for t in smooth.turns] == [
        (t.verdict, t.decided_by, t.fixes) for t in rough.turns
    ]
