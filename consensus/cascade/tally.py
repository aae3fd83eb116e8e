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
        self._weights = [seat.weight for seat in panel.seats]
        self._voters = sum(weight > 0 for weight in self._weights)

    def consensus(
        self, seats: Sequence[SeatResult]
    ) -> tuple[Consensus, GateResult, tuple[CriterionResult, ...]]:
        """Fold the seats, weigh them at the gate, and fold the findings for each criterion."""
        batch = self._batch(seats, self._rubric)
        folded = fold(batch, self._panel)
        scored = int(folded.voters[0])
        panel = folded.row(0) if scored >= self._panel.quorum else None
        criteria = self._criteria(seats, batch, folded)
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
        batch = self._batch(slots, required)
        open_seats = np.array([slot is None for slot in slots]) & (batch.weights > 0)
        waiting = np.broadcast_to(open_seats, batch.scores.shape)
        scored = int(np.count_nonzero(batch.cell_weights[0]))
        outstanding = int(np.count_nonzero(open_seats))
        votes, cells = batch.rows(1), waiting[1:]
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

    def _batch(self, slots: Slots, criteria: Sequence[Criterion]) -> Batch:
        """Return the scores in row 0 and the votes in the rows below: MET 1, UNMET 0, anything
        else unscored. A vote has its seat's confidence.
        """
        width = len(slots)
        scores = [[0.0] * width for _ in range(1 + len(criteria))]
        scored = [[False] * width for _ in range(1 + len(criteria))]
        own = [0.0] * width
        rows = {criterion.id: row for row, criterion in enumerate(criteria, 1)}
        for column, gradient in _gradients(slots):
            scores[0][column], own[column] = gradient.score, gradient.confidence
            scored[0][column] = True
            for finding in gradient.findings:
                row, vote = rows.get(finding.criterion_id), _VOTES.get(finding.status)
                if row is not None and vote is not None:
                    scores[row][column], scored[row][column] = vote, True
        return Batch.build(scores, [own] * len(scores), self._weights, scored)

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
            judges = [seat.judge for seat in panel.seats]
            bar = pass_bar(panel, self._gate)
            against = dissents(batch.rows(0, 1), panel, judges, numbers.final, bar)
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
        self, seats: Sequence[SeatResult], batch: Batch, folded: FoldedBatch
    ) -> tuple[CriterionResult, ...]:
        if not self._rubric:
            return ()
        met = np.count_nonzero((batch.cell_weights > 0) & (batch.scores > 0.5), axis=1).tolist()
        cast = folded.voters.tolist()
        quotes = _quotes(seats)
        found = zip(self._rubric, statuses(folded, self._panel)[1:], strict=True)
        return tuple(
            CriterionResult(
                criterion_id=criterion.id,
                text=criterion.text,
                required=criterion.required,
                status=status,
                met=met[row],
                unmet=cast[row] - met[row],
                evidence=tuple(quotes.get((criterion.id, status), ())[:MAX_QUOTES]),
            )
            for row, (criterion, status) in enumerate(found, 1)
        )


def _gradients(slots: Slots) -> Iterator[tuple[int, GradientResult]]:
    for column, slot in enumerate(slots):
        if slot is not None and (gradient := slot.gradient) is not None:
            yield column, gradient


def _quotes(seats: Sequence[SeatResult]) -> dict[tuple[str, FindingStatus], list[Evidence]]:
    found: dict[tuple[str, FindingStatus], list[Evidence]] = {}
    for column, gradient in _gradients(seats):
        for finding in gradient.findings:
            if finding.evidence and seats[column].weight > 0:
                known = found.setdefault((finding.criterion_id, finding.status), [])
                known.extend(e for e in finding.evidence if e not in known)
    return found
