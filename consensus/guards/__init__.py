"""THE SAFETY NETS over the run of turns: caps, stalls, missing outputs, goals and claims.

`run_before` and `run_after` are the room's door; `goal` has the stop rule of two judges.
"""

from consensus.guards.goal import (
    Answer,
    Claim,
    Step,
    after_fast,
    after_strong,
    goal_status,
    validated,
)
from consensus.guards.outcome import GuardOutcome
from consensus.guards.outputs import missing_keys
from consensus.guards.run import run_after, run_before
from consensus.guards.scenario import as_watched

__all__ = [
    "Answer",
    "Claim",
    "GuardOutcome",
    "Step",
    "after_fast",
    "after_strong",
    "as_watched",
    "goal_status",
    "missing_keys",
    "run_after",
    "run_before",
    "validated",
]
