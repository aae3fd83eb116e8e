"""Builder: what early settlement says of a row of cells, some of them waiting."""

import numpy as np

from consensus.aggregation.bounds import bounds
from consensus.aggregation.criteria import certainly_met
from consensus.domain.decision import GateAnswer
from consensus.domain.policy import Gate, Panel
from consensus.gates import settled_answer
from tests.aggregation.panels import Row, batch_of, outstanding


def settled(panel: Panel, gate: Gate, row: Row, *required: Row) -> GateAnswer | None:
    """Return the settled answer; `required` holds the votes for each required criterion."""
    waiting = outstanding(row)
    answered = sum(cell.votes for cell in row)
    awaited = sum(cell.waiting and cell.weight > 0 for cell in row)
    certain = [certainly_met(batch_of(votes), waiting, panel)[0] for votes in required]
    return settled_answer(
        bounds(batch_of(row), waiting, panel) if answered + awaited else None,
        panel,
        gate,
        required_met=certain,
        scored=answered,
        outstanding=awaited,
        missing=int(np.sum([cell.weight > 0 for cell in row])) - answered - awaited,
    )
