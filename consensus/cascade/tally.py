"""Turns seats into the numbers of a panel: one batch whose first row holds the scores and whose
other rows hold the votes for each criterion; what it folds to; and whether that is settled.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from consensus.aggregation.batch import Batch
from consensus.aggregation.bounds import bounds
from consensus.aggregation.criteria import certainly_met, statuses
from consensus.aggregation.dissent import dissents
from consensus.aggregation.fold import FoldedBatch, fold
from consensus.domain.decision import Consensus, CriterionResult, Dissent, GateResult, SeatResult
from consensus.domain.fold import Folded
from consensus.domain.gradient import Evidence, FindingStatus, GradientResult
from consensus.domain.policy import Gate, Panel
from consensus.domain.submission import Criterion
from consensus.gates import pass_bar, settled_answer, weigh

MAX_QUOTES = 4
_VOTES = {FindingStatus.MET: 1.0, FindingStatus.UNMET: 0.0}

Slots = Sequence[SeatResult | None]
"""One entry for each seat in panel order; None while it is outstanding."""


class Tally:
    """The arithmetic of one panel, its gate and a rubric."""

    def __init__(self, panel: Panel, gate: Gate, rubric: Sequence[Criterion]) -> None:
        self._panel = panel
        self._gate = gate
        self._rubric = rubric
        self._weights = panel.weights
        self._voters = panel.voters

    def consensus(
        self, seats: Sequence[SeatResult]
    ) -> tuple[Consensus, GateResult, tuple[CriterionResult, ...]]:
        """Fold the seats, weigh them at the gate, and fold the findings for each criterion."""
        rows: dict[str, int] = {}
        batch = self._batch(seats, rows)
        folded = fold(batch, self._panel)
        scored = int(folded.voters[0])
        panel = folded.row(0) if scored >= self._panel.quorum else None
        criteria = self._criteria(seats, batch, folded, rows)
        gate = weigh(
            panel,
            self._panel,
            self._gate,
            criteria_ok=all(c.status is FindingStatus.MET for c in criteria if c.required),
            all_scored=scored == self._voters,
        )
        return self._record(batch, folded, panel, seats), gate, criteria

    def settled(self, slots: Slots) -> bool:
        """Tell whether the gate's answer is certain, whatever the outstanding seats would say."""
        required = [criterion for criterion in self._rubric if criterion.required]
        rows = {criterion.id: row for row, criterion in enumerate(required, 1)}
        batch = self._batch(slots, rows)
        open_seats = np.array([slot is None for slot in slots]) & (batch.weights > 0)
        waiting = np.broadcast_to(open_seats, batch.scores.shape)
        scored = int(np.count_nonzero(batch.cell_weights[0]))
        outstanding = int(np.count_nonzero(open_seats))
        end = 1 + len(required)  # votes for other criteria stand below and do not matter here
        votes, cells = batch.rows(1, end), waiting[1:end]
        answer = settled_answer(
            bounds(batch.rows(0, 1), waiting[:1], self._panel) if scored + outstanding else None,
            self._panel,
            self._gate,
            required_met=certainly_met(votes, cells, self._panel) if required else (),
            scored=scored,
            outstanding=outstanding,
            missing=self._voters - scored - outstanding,
        )
        return answer is not None

    def _batch(self, slots: Slots, rows: dict[str, int]) -> Batch:
        """Return the scores in row 0 and votes in the rows below: MET 1, UNMET 0, anything else
        unscored. A vote has its seat's confidence.

        `rows` gives the row of each criterion id; a criterion that has none and gets a vote is
        given the next one. Most criteria of most panels get none.
        """
        width = len(slots)
        scores = [[0.0] * width for _ in range(1 + len(rows))]
        scored = [[False] * width for _ in range(1 + len(rows))]
        own = [0.0] * width
        first, marks, weights = scores[0], scored[0], self._weights
        for column, slot in enumerate(slots):
            gradient = slot.answer if slot is not None else None
            if not (isinstance(gradient, GradientResult) and weights[column]):
                continue
            first[column], own[column] = gradient.score, gradient.confidence
            marks[column] = True
            for finding in gradient.findings:
                vote = _VOTES.get(finding.status)
                if vote is None:
                    continue
                row = rows.setdefault(finding.criterion_id, len(scores))
                if row == len(scores):
                    scores.append([0.0] * width)
                    scored.append([False] * width)
                scores[row][column], scored[row][column] = vote, True
        return Batch.build(scores, [own] * len(scores), weights, scored)

    def _record(
        self,
        batch: Batch,
        folded: FoldedBatch,
        numbers: Folded | None,
        seats: Sequence[SeatResult],
    ) -> Consensus:
        panel = self._panel
        against: tuple[Dissent, ...] = ()
        if numbers is not None:
            bar = pass_bar(panel, self._gate)
            against = dissents(batch, panel, panel.judges, numbers.final, bar)
        return Consensus(
            strategy=panel.strategy,
            threshold=panel.threshold,
            seats=tuple(seats),
            coverage=float(folded.coverage[0]),
            final_score=numbers.final if numbers else None,
            confidence=numbers.confidence if numbers else None,
            agreement=numbers.agreement if numbers else None,
            tie=numbers.tie if numbers else False,
            dissents=against,
        )

    def _criteria(
        self,
        seats: Sequence[SeatResult],
        batch: Batch,
        folded: FoldedBatch,
        rows: dict[str, int],
    ) -> tuple[CriterionResult, ...]:
        if not rows:
            return tuple(
                _result(criterion, FindingStatus.INCONCLUSIVE) for criterion in self._rubric
            )
        met = np.count_nonzero(batch.scores > 0.5, axis=1).tolist()
        cast, found = folded.voters.tolist(), statuses(folded, self._panel)
        quotes = _quotes(seats)
        results = []
        for criterion in self._rubric:
            row = rows.get(criterion.id, 0)
            status = found[row] if row else FindingStatus.INCONCLUSIVE
            agreed = quotes.get((criterion.id, status), ())[:MAX_QUOTES]
            counts = (met[row], cast[row] - met[row]) if row else (0, 0)
            results.append(_result(criterion, status, counts, tuple(agreed)))
        return tuple(results)


def _result(
    criterion: Criterion,
    status: FindingStatus,
    counts: tuple[int, int] = (0, 0),
    evidence: tuple[Evidence, ...] = (),
) -> CriterionResult:
    return CriterionResult(
        criterion_id=criterion.id,
        text=criterion.text,
        required=criterion.required,
        status=status,
        met=counts[0],
        unmet=counts[1],
        evidence=evidence,
    )


def _gradients(slots: Slots) -> Iterator[tuple[int, GradientResult]]:
    for column, slot in enumerate(slots):
        if slot is not None and (gradient := slot.gradient) is not None:
            yield column, gradient


def _quotes(seats: Sequence[SeatResult]) -> dict[tuple[str, FindingStatus], list[Evidence]]:
    found: dict[tuple[str, FindingStatus], list[Evidence]] = {}
    for column, gradient in _gradients(seats):
        for finding in gradient.findings:
            if finding.evidence and seats[column].votes:
                known = found.setdefault((finding.criterion_id, finding.status), [])
                known.extend(e for e in finding.evidence if e not in known)
    return found
