"""What one panel is asked, and what its seats use for it."""

from collections.abc import Mapping

from msgspec import Struct, field

from consensus.domain.decision import CheckResult, Hierarchy
from consensus.domain.gradient import Usage
from consensus.domain.submission import Check, Submission

Proofs = Mapping[Check, CheckResult]
"""Results of the checks that need the sandbox."""

OF_TRACE = "trace."
"""How the keys of a memo begin that hang on the submission's trace alone."""


class Evaluation(Struct, frozen=True):
    """What the judges of one panel are asked; all seats share one instance."""

    submission: Submission
    hierarchy: Hierarchy
    """Of the judges' own decisions: one deeper than the asking one."""
    memo: dict[str, object] = field(default_factory=dict)
    """What judges work out once for the whole panel, such as the encoded submission."""
    proofs: Proofs | None = None
    """What the sandbox found; None where no check needs it."""
    ledgers: dict[str, "Ledger"] = field(default_factory=dict)
    """By judge; made by `ledger`, taken by the panel when the seat is done."""

    def memo_of_trace(self) -> dict[str, object]:
        """Return what of the memo stays true of another submission with the same trace."""
        if not self.submission.trace:
            return {}
        made = self.memo.copy()  # whole, while a thread that reads the trace adds to it
        return {key: entry for key, entry in made.items() if key.startswith(OF_TRACE)}

    def of(self, submission: Submission) -> "Evaluation":
        """Return what is asked about another submission with the same trace and the same texts to
        check; itself where it is the same one.
        """
        if submission is self.submission:
            return self
        return Evaluation(submission, self.hierarchy, self.memo_of_trace(), self.proofs)

    def ledger(self, judge: str) -> "Ledger":
        """Return the ledger of a judge's seat. What stands there outlasts failure and cancel."""
        found = self.ledgers.get(judge)
        if found is None:
            found = self.ledgers[judge] = Ledger()
        return found


class Ledger(Struct):
    """What one seat took: written by the judge and its habits, read by the panel."""

    attempts: int = 0
    """Calls to the backend, retries and hedges included; 0 counts as one."""
    usage: Usage | None = None

    def add(self, usage: Usage) -> None:
        """Add what a call used. A call that was cancelled is billed too."""
        self.usage = usage if self.usage is None else self.usage + usage
