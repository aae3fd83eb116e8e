"""Folds the seats' findings for each criterion by the panel's own strategy.

MET votes 1, UNMET 0, INCONCLUSIVE or silence has no vote. A criterion is MET iff the folded votes
reach the panel's threshold. Under unanimous and best_of_n the seats that voted are the panel.
"""

from collections.abc import Sequence

from consensus.aggregation.batch import Batch, Bools
from consensus.aggregation.bounds import final_intervals
from consensus.aggregation.fold import fold
from consensus.domain.fold import reaches
from consensus.domain.gradient import FindingStatus
from consensus.domain.policy import Panel, StrategyName, Tie

_TIED = {
    Tie.PASS: FindingStatus.MET,
    Tie.FAIL: FindingStatus.UNMET,
    Tie.ESCALATE: FindingStatus.INCONCLUSIVE,
}


def statuses(votes: Batch, panel: Panel) -> list[FindingStatus]:
    """Return each criterion's status; rows of `votes` are criteria, columns seats."""
    folded = fold(votes, panel)
    return [
        _status(final, tie, voters, panel)
        for final, tie, voters in zip(
            folded.final.tolist(), folded.tie.tolist(), folded.voters.tolist(), strict=True
        )
    ]


def _status(final: float, tie: bool, voters: float, panel: Panel) -> FindingStatus:
    if voters == 0:
        return FindingStatus.INCONCLUSIVE
    if tie:
        return _TIED[panel.tie]
    return FindingStatus.MET if reaches(final, panel.threshold) else FindingStatus.UNMET


def certainly_met(votes: Batch, outstanding: Bools, panel: Panel) -> Sequence[bool | None]:
    """Tell for each criterion whether it will be MET (True), will not (False), or is open (None),
    whatever the outstanding seats find."""
    present = statuses(votes, panel)
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
