"""Folds the seats' findings for each criterion by the panel's own strategy.

MET votes 1, UNMET 0, INCONCLUSIVE or silence has no vote. A criterion is MET iff the folded votes
reach the panel's threshold. Under unanimous and best_of_n the seats that voted are the panel.
"""

from collections.abc import Sequence

from consensus.aggregation.batch import Batch, Bools
from consensus.aggregation.bounds import final_intervals
from consensus.aggregation.fold import FoldedBatch, fold
from consensus.domain.fold import reaches
from consensus.domain.gradient import FindingStatus
from consensus.domain.policy import Panel, StrategyName, Tie

_TIED = {
    Tie.PASS: FindingStatus.MET,
    Tie.FAIL: FindingStatus.UNMET,
    Tie.ESCALATE: FindingStatus.INCONCLUSIVE,
}


def statuses(folded: FoldedBatch, panel: Panel) -> list[FindingStatus]:
    """Return each row's status; the rows are criteria, folded out of votes."""
    numbers = (folded.final.tolist(), folded.tie.tolist(), folded.voters.tolist())
    return [_status(*row, panel) for row in zip(*numbers, strict=True)]


def _status(final: float, tie: bool, voters: int, panel: Panel) -> FindingStatus:
    if voters == 0:
        return FindingStatus.INCONCLUSIVE
    if tie:
        return _TIED[panel.tie]
    return FindingStatus.MET if reaches(final, panel.threshold) else FindingStatus.UNMET


def certainly_met(votes: Batch, outstanding: Bools, panel: Panel) -> Sequence[bool | None]:
    """Tell for each row of votes whether it will be MET (True), will not (False), or is open
    (None), whatever the outstanding seats find.
    """
    present = statuses(fold(votes, panel), panel)
    intervals = final_intervals(votes, outstanding, panel)
    bar = 1.0 if panel.strategy is StrategyName.MAJORITY else panel.threshold
    certain: list[bool | None] = []
    for status, interval in zip(present, intervals, strict=True):
        if interval.never_reaches(bar):
            certain.append(False if not _tie_passes(panel, interval.high) else None)
        elif status is FindingStatus.MET and interval.always_reaches(bar):
            certain.append(True)
        else:
            certain.append(None)
    return certain


def _tie_passes(panel: Panel, high: float) -> bool:
    return panel.strategy is StrategyName.MAJORITY and panel.tie is Tie.PASS and reaches(high, 0.5)
