"""Builds the worker's feedback: what to mend, most important first, within a length."""

from collections.abc import Iterator, Sequence

from consensus.cascade.opening import opening
from consensus.domain.decision import CriterionResult, GateAnswer, StageResult
from consensus.domain.fold import reaches
from consensus.domain.gradient import FindingStatus, GradientResult

MAX_CHARS = 4_000
MAX_REASONING = 800


def feedback(results: Sequence[StageResult], *, attempt: bool = True) -> str:
    """Return what the worker should mend: failed checks, required criteria that are not MET, other
    UNMET ones, then the reasoning of the seats below the threshold, lowest score first; where the
    gate was not sure enough, that of the others, too.

    For a whole `attempt`, the first line says how bad it is.
    """
    lines = [line] if attempt and (line := opening(results)) else []
    taken = sum(len(line) + 1 for line in lines)
    left = MAX_CHARS - 1 - taken  # 1: for the mark that some are left out
    for line in dict.fromkeys(_lines(results)):
        if len(line) + 1 > left:
            lines.append("…")
            break
        lines.append(line)
        left -= len(line) + 1
    return "\n".join(lines)


def _lines(results: Sequence[StageResult]) -> Iterator[str]:
    for result in results:
        for check in result.checks:
            if not check.passed:
                yield f"- Check fails: {check.check} ({check.message[:300]})"
    latest = {c.criterion_id: c for result in results for c in result.criteria}
    notes = _notes(results)
    for criterion in sorted(latest.values(), key=lambda c: not c.required):
        if line := _criterion_line(criterion, notes.get(criterion.criterion_id, "")):
            yield line
    yield from _reasonings(results)


def _criterion_line(criterion: CriterionResult, notes: str) -> str:
    if criterion.status is FindingStatus.MET:
        return ""
    if criterion.status is FindingStatus.INCONCLUSIVE and not criterion.required:
        return ""
    how = "not met" if criterion.status is FindingStatus.UNMET else "not shown"
    must = " (required)" if criterion.required else ""
    why = f" [{notes[:300]}]" if notes else ""
    return f"- {criterion.criterion_id}{must} {how}: {criterion.text[:300]}{why}"


def _notes(results: Sequence[StageResult]) -> dict[str, str]:
    """Return, for each criterion, the notes of the surest seat that found it UNMET."""
    best: dict[str, tuple[float, str]] = {}
    for gradient in _scored(results):
        for finding in gradient.findings:
            if finding.status is FindingStatus.UNMET and finding.notes:
                known = best.get(finding.criterion_id)
                if known is None or gradient.confidence > known[0]:
                    best[finding.criterion_id] = (gradient.confidence, finding.notes)
    return {criterion: notes for criterion, (_, notes) in best.items()}


def _reasonings(results: Sequence[StageResult]) -> Iterator[str]:
    low = [
        (seat.gradient.score, seat.judge, seat.gradient.reasoning)
        for result in results
        if result.consensus is not None
        for seat in result.consensus.seats
        if seat.gradient is not None
        and seat.votes
        and seat.gradient.reasoning
        and not reaches(seat.gradient.score, result.consensus.threshold)
    ]
    for score, judge, reasoning in sorted(low):
        yield f"- {judge} ({score:.2f}): {reasoning[:MAX_REASONING]}"
    for confidence, score, judge, reasoning in sorted(_unsure(results)):
        sure = f"{score:.2f}, confidence {confidence:.2f}"
        yield f"- {judge} ({sure}): {reasoning[:MAX_REASONING]}"


def _unsure(results: Sequence[StageResult]) -> Iterator[tuple[float, float, str, str]]:
    """Yield (confidence, score, judge, reasoning) of the seats at the threshold or above where the
    panel was not sure enough: nothing else says what the gate missed.
    """
    for result in results:
        if result.consensus is None or result.gate.answer is not GateAnswer.UNSURE:
            continue
        for seat in result.consensus.seats:
            given = seat.gradient
            if given is None or not (seat.votes and given.reasoning):
                continue
            if reaches(given.score, result.consensus.threshold):
                yield given.confidence, given.score, seat.judge, given.reasoning


def _scored(results: Sequence[StageResult]) -> Iterator[GradientResult]:
    for result in results:
        for seat in result.consensus.seats if result.consensus else ():
            if seat.gradient is not None and seat.votes:
                yield seat.gradient
