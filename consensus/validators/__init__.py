"""LEVEL ZERO: deterministic checks on the candidate, and on what judges say they saw in it."""

from consensus.validators.checks import run_checks
from consensus.validators.describe import describe
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.evidence import Locator
from consensus.validators.soundness import check_faults
from consensus.validators.subjects import subjects

__all__ = [
    "Effort",
    "EffortSpentError",
    "Locator",
    "check_faults",
    "describe",
    "run_checks",
    "subjects",
]
