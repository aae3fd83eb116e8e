"""What is told at the end of a run, as an object, as plain text and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from consensus_client.loop.drafts import json_copy
from consensus_client.loop.goal import CriterionScore, Goal, Scorecard, goal_of, scorecard
from consensus_client.loop.state import LoopState
from consensus_client.loop.turns import LoopStatus, Turn

TOP_UNMET = 3
_WIDTH = 72


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run in figures. `print(report)` shows it."""

    status: LoopStatus
    candidate: str
    """The accepted candidate; empty otherwise. The state has the latest, whatever its verdict."""
    outputs: Mapping[str, Any]
    """The accepted outputs; empty otherwise."""
    question: str
    """What a person is asked, while PAUSED."""
    decided_by: str
    """The stage of the policy that had the last word; `validate` or `person` where no judge did."""
    deciders: Mapping[str, int]
    """Turns by who decided them."""
    turns: tuple[Turn, ...]
    turns_to_completion: int | None
    """Turns until acceptance; None without."""
    total_retries: int
    """Turns after the first."""
    work_seconds: float
    judge_seconds: float
    cost_usd: float | None
    """What the judges cost; None when unknown for any turn that they judged."""
    top_unmet: tuple[CriterionScore, ...]
    """At most 3 criteria: most often UNMET first, then by weight, then as listed."""
    scorecard: Scorecard

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def report_of(state: LoopState, goal: Goal | None = None) -> RunReport:
    """Return the report of a run, finished or not; without a goal, the rubric is the goal."""
    turns = tuple(state.turns)
    card = scorecard(goal or goal_of(state.criteria), turns)
    accepted = state.status is LoopStatus.ACCEPTED
    costs = [turn.cost_usd for turn in turns if turn.request_id]
    known = [cost for cost in costs if cost is not None]
    unmet = [each for each in card.criteria if each.unmet_count]
    unmet.sort(key=lambda each: (-each.unmet_count, -each.weight))
    return RunReport(
        status=state.status,
        candidate=state.candidate if accepted else "",
        outputs=json_copy(state.outputs) if accepted else {},
        question=state.question,
        decided_by=state.decided_by,
        deciders=dict(Counter(turn.decided_by for turn in turns)),
        turns=turns,
        turns_to_completion=len(turns) if accepted else None,
        total_retries=max(0, len(turns) - 1),
        work_seconds=sum(turn.work_seconds for turn in turns),
        judge_seconds=sum(turn.judge_seconds for turn in turns),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        top_unmet=tuple(unmet[:TOP_UNMET]),
        scorecard=card,
    )


def _lines(report: RunReport) -> Iterator[str]:
    turns, retries = len(report.turns), report.total_retries
    by = f", decided by {_plain(report.decided_by)}" if report.decided_by else ""
    yield f"{report.status} after {_count(turns, 'turn')}, {_count(retries, 'retry')}{by}"
    if report.question:
        yield f"question: {_plain(report.question)}"
    if report.turns:
        yield "turn  verdict   score  conf.  work s  judge s  fixes  decided by: reasons"
    for turn in report.turns:
        why = f"{turn.decided_by}: {', '.join(turn.reasons)}" if turn.reasons else turn.decided_by
        yield (
            f"{turn.number:>4}  {turn.verdict:<8}  {_share(turn.score)}  {_share(turn.confidence)}"
            f"  {turn.work_seconds:>6.2f}  {turn.judge_seconds:>7.2f}  {turn.fixes:>5}"
            f"  {_plain(why)}"
        )
    card = report.scorecard
    if card.criteria:
        yield (
            f"goal: {card.recommendation}; progress {card.overall_progress:.2f}"
            f" (raw {card.raw_progress:.2f}); success: {'yes' if card.is_success else 'no'}"
        )
    for each in card.criteria:
        mark = "met" if each.met else "   "
        counts = f"{each.met_count} of {each.outcome_count}"
        yield _plain(f"  {mark}  weight {each.weight:.2f}  {counts:>8}  {each.id} {each.text}")
    for title, ids in (
        ("not evaluated", card.not_evaluated),
        ("hard constraints violated", card.hard_violations),
        ("soft constraints violated", card.soft_violations),
        ("top unmet", [f"{each.id} ({each.unmet_count}x)" for each in report.top_unmet]),
    ):
        if ids:
            yield _plain(f"{title}: {', '.join(ids)}", 4 * _WIDTH)


def _share(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.2f}"


def _count(number: int, word: str) -> str:
    many = "retries" if word == "retry" else f"{word}s"
    return f"{number} {word if number == 1 else many}"


def _plain(text: str, width: int = _WIDTH) -> str:
    """Return others' words on one line, without what would move a terminal's cursor."""
    return "".join(each if each.isprintable() else " " for each in text)[:width]
