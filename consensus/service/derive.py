"""Finds the judge that derives a rubric, as a request asks for it."""

from collections.abc import Callable, Iterator

from consensus.cascade.budget import Budget
from consensus.cascade.derivation import BUDGET_SHARE, Derivation
from consensus.cascade.spend import Purses
from consensus.domain.decision import Hierarchy
from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Usage
from consensus.domain.habits import bare
from consensus.domain.policy import Policy
from consensus.domain.ports import Clock, Deriver, Judge, Judges
from consensus.domain.submission import Criterion, Submission
from consensus.service.rulebook import Rulebook
from consensus.service.validation import MAX_TASK, cost_limit, require
from consensus.v1 import consensus_pb2

DEFAULT_CRITERIA = 8
MAX_CRITERIA = 32


def derivation_of(
    request: consensus_pb2.JudgeRequest,
    policy: Policy,
    judges: Judges,
    on_usage: Callable[[str, Usage], None],
    path: str = "",
) -> Derivation:
    """Return how the rubric of `request` is derived; `path` is the prefix of its fields.

    Raises InvalidRequest where there is a rubric already or no judge that can derive one.
    """
    found: list[Violation] = []
    most = request.derive_criteria.max_criteria
    if request.submission.rubric.criteria:
        words = "has criteria, and derive_criteria is set; must be one of them"
        found.append(Violation(f"{path}submission.rubric.criteria", words))
    elif policy.rubric and not request.submission.HasField("rubric"):
        words = f"is set, and policy {policy.name!r} has a rubric; send an empty one to derive"
        found.append(Violation(f"{path}derive_criteria", words))
    if not 0 <= most <= MAX_CRITERIA:
        words = f"is {most}; must be 1 to {MAX_CRITERIA}, or 0 for {DEFAULT_CRITERIA}"
        found.append(Violation(f"{path}derive_criteria.max_criteria", words))
    judge = deriving_judge(request.derive_criteria.judge, policy, judges)
    if isinstance(judge, Deriver) and not found:
        return Derivation(judge, most or DEFAULT_CRITERIA, on_usage)
    if not isinstance(judge, Deriver):
        words = _nobody(request.derive_criteria.judge, policy, judges)
        found.append(Violation(f"{path}derive_criteria.judge", words))
    raise InvalidRequest(found)


async def derived_rubric(
    request: consensus_pb2.JudgeRequest, rulebook: Rulebook, clock: Clock, budget_seconds: float
) -> tuple[Criterion, ...]:
    """Derive the rubric that `request` asks for, without judging. Raises RequestError."""
    policy = rulebook.policy(request.policy, "policy")
    task = request.submission.task
    if not 1 <= len(task) <= MAX_TASK:
        words = f"has {len(task)} characters; must have 1 to {MAX_TASK}"
        raise InvalidRequest([Violation("submission.task", words)])
    require(cost_limit(request))
    derivation = derivation_of(request, policy, rulebook.judges, lambda judge, usage: None)
    limit = request.max_cost_usd if request.HasField("max_cost_usd") else None
    derived = await derivation.run(
        Evaluation(Submission(task=task), Hierarchy()),
        Budget(clock, min(budget_seconds, policy.deadline_seconds) / BUDGET_SHARE),
        Purses(clock).open(policy, limit),
    )
    return derived.rubric


def deriving_judge(name: str, policy: Policy, judges: Judges) -> Judge | None:
    """Return the judge of that name, or the policy's first that can derive for an empty name."""
    if name:
        return bare(judges[name])[0] if name in judges else None
    seated = (bare(judges[name])[0] for name in _seated(policy))
    return next((judge for judge in seated if isinstance(judge, Deriver)), None)


def _seated(policy: Policy) -> Iterator[str]:
    for stage in policy.stages:
        if stage.panel is not None:
            yield from (seat.judge for seat in stage.panel.seats)


def _nobody(name: str, policy: Policy, judges: Judges) -> str:
    names = sorted(n for n, judge in judges.items() if isinstance(bare(judge)[0], Deriver))
    able = ", ".join(names)
    known = f"one of the seated llm judges: {able}" if able else "an llm judge, and none is seated"
    if name:
        return f"is {name[:64]!r}; must be {known}"
    return f"is empty, and policy {policy.name!r} seats no llm judge; must be {known}"
