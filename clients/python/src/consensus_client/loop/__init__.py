"""The loop on the caller's side: worker, judges, feedback, worker, until a verdict ends it.

Start with `begin()`, then JudgeLoop or AsyncJudgeLoop. Goals and the common misconceptions about
them are explained in the repository's docs/goals.md.
"""

from consensus_client.loop.awaiting import AsyncJudgeLoop
from consensus_client.loop.blocking import JudgeLoop
from consensus_client.loop.drafts import Attempt, Draft, Made, Ruling
from consensus_client.loop.facts import Step
from consensus_client.loop.goal import (
    Constraint,
    CriterionScore,
    Goal,
    GoalCriterion,
    Recommendation,
    Scorecard,
    goal_of,
    recommend,
    scorecard,
)
from consensus_client.loop.proposals import ToolRules
from consensus_client.loop.report import RunReport, report_of
from consensus_client.loop.rules import LoopRules
from consensus_client.loop.state import LoopState, begin
from consensus_client.loop.turns import LoopStatus, Phase, Turn

__all__ = [
    "AsyncJudgeLoop",
    "Attempt",
    "Constraint",
    "CriterionScore",
    "Draft",
    "Goal",
    "GoalCriterion",
    "JudgeLoop",
    "LoopRules",
    "LoopState",
    "LoopStatus",
    "Made",
    "Phase",
    "Recommendation",
    "Ruling",
    "RunReport",
    "Scorecard",
    "Step",
    "ToolRules",
    "Turn",
    "begin",
    "goal_of",
    "recommend",
    "report_of",
    "scorecard",
]
