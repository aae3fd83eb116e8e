"""Turns seats into the numbers of a panel: the batch to fold, the votes, and what is settled."""

from collections.abc import Sequence

import numpy as np

from consensus.aggregation.batch import Batch, Bools
from consensus.aggregation.bounds import bounds
from consensus.aggregation.criteria import certainly_met, statuses
from consensus.aggregation.dissent import dissents
from consensus.aggregation.fold import fold
from consensus.domain.decision import Consensus, CriterionResult, GateResult, SeatResult, SeatStatus
from consensus.domain.fold import Folded
from consensus.domain.gradient import Evidence, FindingStatus
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
        self._judges = [seat.judge for seat in panel.seats]
        self._weights = np.array([seat.weight for seat in panel.seats])

    def consensus(
        self, seats: Sequence[SeatResult]
    ) -> tuple[Consensus, GateResult, tuple[CriterionResult, ...]]:
        """Fold the seats, weigh them at the gate, and fold the findings for each criterion."""
        batch = self._batch(seats)
        folded = self._folded(batch)
        criteria = self._criteria(seats)
        gate = weigh(
            folded,
            self._panel,
            self._gate,
            criteria_ok=all(c.status is FindingStatus.MET for c in criteria if c.required),
            all_scored=bool((batch.cell_weights[0] > 0).sum() == (batch.weights > 0).sum()),
        )
        return self._record(batch, folded, seats), gate, criteria

    def settled(self, slots: Slots) -> bool:
        """Tell whether the gate's answer is certain, whatever the outstanding seats would say."""
        batch = self._batch(slots)
        waiting = np.array([[slot is None for slot in slots]]) & (batch.weights > 0)
        scored = int((batch.cell_weights > 0).sum())
        outstanding = int(waiting.sum())
        known = bounds(batch, waiting, self._panel) if scored + outstanding else None
        answer = settled_answer(
            known,
            self._panel,
            self._gate,
            required_met=self._required_met(slots, waiting),
            scored=scored,
            outstanding=outstanding,
            missing=int((batch.weights > 0).sum()) - scored - outstanding,
        )
        return answer is not None

    def _batch(self, slots: Slots) -> Batch:
        gradients = [slot.gradient if slot is not None else None for slot in slots]
        return Batch.of(
            [[gradient.score if gradient else 0.0 for gradient in gradients]],
            [[gradient.confidence if gradient else 0.0 for gradient in gradients]],
            self._weights,
            [[gradient is not None for gradient in gradients]],
        )

    def _folded(self, batch: Batch) -> Folded | None:
        voters = int((batch.cell_weights > 0).sum())
        return fold(batch, self._panel).row(0) if voters >= self._panel.quorum else None

    def _record(
        self, batch: Batch, folded: Folded | None, seats: Sequence[SeatResult]
    ) -> Consensus:
        panel = self._panel
        if folded is None:
            coverage = float(batch.cell_weights.sum() / batch.weights.sum())
            return Consensus(
                strategy=panel.strategy,
                threshold=panel.threshold,
                seats=tuple(seats),
                coverage=min(coverage, 1.0),
            )
        bar = pass_bar(panel, self._gate)
        return Consensus(
            strategy=panel.strategy,
            threshold=panel.threshold,
            seats=tuple(seats),
            coverage=folded.coverage,
            final_score=folded.final,
            confidence=folded.confidence,
            agreement=folded.agreement,
            tie=folded.tie,
            dissents=dissents(batch, panel, self._judges, folded.final, bar),
        )

    def _votes(self, slots: Slots, criteria: Sequence[Criterion]) -> Batch:
        """Return the votes, [criteria, seats]: MET 1, UNMET 0, anything else unscored."""
        shape = (len(criteria), len(slots))
        scores, cast = np.zeros(shape), np.zeros(shape, bool)
        rows = {criterion.id: row for row, criterion in enumerate(criteria)}
        own = np.zeros(len(slots))
        for column, slot in enumerate(slots):
            gradient = slot.gradient if slot is not None else None
            if gradient is None:
                continue
            own[column] = gradient.confidence
            for finding in gradient.findings:
                row, vote = rows.get(finding.criterion_id), _VOTES.get(finding.status)
                if row is not None and vote is not None:
                    scores[row, column], cast[row, column] = vote, True
        return Batch.of(scores, np.broadcast_to(own, shape), self._weights, cast)

    def _required_met(self, slots: Slots, waiting: Bools) -> Sequence[bool | None]:
        required = [criterion for criterion in self._rubric if criterion.required]
        if not required:
            return ()
        cells = np.broadcast_to(waiting, (len(required), len(slots)))
        return certainly_met(self._votes(slots, required), cells, self._panel)

    def _criteria(self, seats: Sequence[SeatResult]) -> tuple[CriterionResult, ...]:
        if not self._rubric:
            return ()
        votes = self._votes(seats, self._rubric)
        cast = votes.cell_weights > 0
        met = (cast & (votes.scores > 0.5)).sum(axis=1).tolist()
        counted = cast.sum(axis=1).tolist()
        quotes = _quotes(seats)
        return tuple(
            CriterionResult(
                criterion_id=criterion.id,
                text=criterion.text,
                required=criterion.required,
                status=status,
                met=met[row],
                unmet=counted[row] - met[row],
                evidence=tuple(quotes.get((criterion.id, status), ())[:MAX_QUOTES]),
            )
            for row, (criterion, status) in enumerate(
                zip(self._rubric, statuses(votes, self._panel), strict=True)
            )
        )


def _quotes(seats: Sequence[SeatResult]) -> dict[tuple[str, FindingStatus], list[Evidence]]:
    found: dict[tuple[str, FindingStatus], list[Evidence]] = {}
    for seat in seats:
        if seat.status is SeatStatus.SCORED and seat.gradient and seat.weight > 0:
            for finding in seat.gradient.findings:
                known = found.setdefault((finding.criterion_id, finding.status), [])
                known.extend(e for e in finding.evidence if e not in known)
    return found
