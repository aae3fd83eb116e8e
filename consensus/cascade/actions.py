"""What follows from the answer of a stage's gate: the four keys, ties, and judges that all fail."""

from consensus.cascade.tally import Slots
from consensus.domain.decision import GateAnswer, SeatStatus, StageResult
from consensus.domain.errors import AllJudgesUnavailable
from consensus.domain.gradient import Failure
from consensus.domain.policy import Action, Panel, Stage, Tie


def action_of(stage: Stage, result: StageResult) -> Action:
    """Return what follows from the gate's answer. Raises AllJudgesUnavailable."""
    answer = result.gate.answer
    if answer is GateAnswer.PASS:
        return stage.on_pass
    if answer is GateAnswer.NO_QUORUM:
        return _no_quorum(stage, result)
    if _tie_escalates(stage.panel, result):
        return Action.ESCALATE
    return stage.on_fail if answer is GateAnswer.FAIL else stage.on_unsure


def _tie_escalates(panel: Panel | None, result: StageResult) -> bool:
    tied = result.consensus is not None and result.consensus.tie
    return tied and panel is not None and panel.tie is Tie.ESCALATE


def _no_quorum(stage: Stage, result: StageResult) -> Action:
    action = stage.on_no_quorum or Action.ESCALATE
    if action is not Action.FAIL:
        return action
    every = result.consensus.seats if result.consensus else ()
    seats = [seat for seat in every if not seat.shadow]
    if all(seat.status is SeatStatus.FAILED for seat in seats):
        names = ", ".join(seat.judge for seat in seats)
        answers = [seat.answer for seat in seats]
        kinds = ", ".join(answer.kind.value for answer in answers if isinstance(answer, Failure))
        message = f"no judge of stage {stage.name!r} answered: {names} ({kinds})"
        raise AllJudgesUnavailable(message, {"stage": stage.name, "judges": names})
    return Action.ESCALATE


def may_all_fail(stage: Stage, slots: Slots) -> bool:
    """Tell whether `on_no_quorum: fail` may still have to raise: no seat has done but fail."""
    return stage.on_no_quorum is Action.FAIL and all(
        slot is None or slot.shadow or slot.status is SeatStatus.FAILED for slot in slots
    )
