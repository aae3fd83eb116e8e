"""What the stages of one decision came to, as far as they have run."""

from msgspec import Struct, field

from consensus.domain.decision import CriterionResult, Reason, StageResult, Verdict
from consensus.domain.gradient import Usage


class Run(Struct):
    """The stages that have run, in order."""

    results: list[StageResult] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    """The latest stage's first."""
    verdict: Verdict | None = None
    """None where none ran."""

    def criteria(self) -> tuple[CriterionResult, ...]:
        """Return each criterion's latest answer; stages run from cheap to strong."""
        latest = {c.criterion_id: c for result in self.results for c in result.criteria}
        return tuple(latest.values())

    def lowest_score(self) -> float | None:
        """Return the lowest score of the stages that came to one; None where none did."""
        scores = [score for result in self.results if (score := result.score) is not None]
        return min(scores, default=None)

    def usage(self, derived: Usage | None) -> Usage | None:
        """Return what all seats and a derivation used; None where nobody used a model."""
        total = derived
        for result in self.results:
            for seat in result.consensus.seats if result.consensus else ():
                if seat.usage is not None:
                    total = seat.usage if total is None else total + seat.usage
        return total
