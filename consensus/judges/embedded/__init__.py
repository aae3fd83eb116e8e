"""Judges that work without network, configuration or waiting: honest heuristics that say so."""

from consensus.domain.ports import InstantJudge, Validator
from consensus.judges.embedded.checks import ChecksJudge
from consensus.judges.embedded.conduct import ConductJudge
from consensus.judges.embedded.coverage import CoverageJudge


def embedded_judges(validator: Validator) -> dict[str, InstantJudge]:
    """Return one of each embedded judge by name; `validator` evaluates the rubric's checks."""
    judges: list[InstantJudge] = [ChecksJudge(validator), CoverageJudge(), ConductJudge()]
    return {judge.name: judge for judge in judges}


__all__ = ["ChecksJudge", "ConductJudge", "CoverageJudge", "embedded_judges"]
