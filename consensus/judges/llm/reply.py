"""What a reply says, once it is sound: types, ranges, names, and no contradiction.

A reply that is not sound fails its seat; nothing in it is guessed, clamped or completed.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Evidence, FailureKind, Finding, FindingStatus, unit
from consensus.judges.llm.chat import Finish, Reply
from consensus.judges.llm.form import DIGIT_TOP
from consensus.judges.llm.reading import read_object, unreadable

_ENDINGS = {
    Finish.LENGTH: (FailureKind.TRUNCATED, "the reply was cut off at the bound of its tokens"),
    Finish.FILTERED: (FailureKind.FILTERED, "a content filter held the reply back"),
    Finish.REFUSED: (FailureKind.REFUSED, "the model declined to judge"),
}
_STATUSES = {word: s for s in FindingStatus for word in (s.value, s.name)}
_YES = frozenset(("pass", "passed", "accept", "accepted", "success", "yes", "met"))
_NO = frozenset(("fail", "failed", "reject", "rejected", "failure", "no", "unmet"))
_VERDICTS = ("verdict", "pass", "passed", "success", "decision", "result")
"""Names that were not asked for, under which models also say what they think."""


class Opinion(Struct, frozen=True, kw_only=True):
    """What one reply says."""

    mode: str
    """How it was read: `strict`, `fenced`, `repaired` or `patterns`."""
    score: float | None
    """0 to 1; None where the judge abstains."""
    confidence: float | None
    """0 to 1; None where the reply states none."""
    reasoning: str
    findings: tuple[Finding, ...] = ()


def require_whole(reply: Reply) -> None:
    """Raise JudgeFailed (TRUNCATED, FILTERED, REFUSED) unless the model ended of its own accord."""
    ending = _ENDINGS.get(reply.finish)
    if ending is not None:
        raise JudgeFailed(*ending)


def read_opinion(text: str, *, digit: bool = False) -> Opinion:
    """Return what a JSON reply says. Raises JudgeFailed (UNREADABLE)."""
    said, mode = read_object(text)
    abstains = _boolean(said, "abstain")
    score = _score(said.get("score"), digit=digit)
    if abstains and score is not None:
        raise unreadable("the reply abstains and scores")
    if not abstains and score is None:
        raise unreadable("the reply holds no score")
    findings = _findings(said.get("findings"))
    if score is not None:
        _require_consistent(said, score, findings)
    return Opinion(
        mode=mode,
        score=score,
        confidence=_unit("confidence", said.get("confidence")),
        reasoning=_text(said, "reasoning"),
        findings=findings,
    )


def _score(value: object, *, digit: bool) -> float | None:
    if not digit:
        return _unit("score", value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= DIGIT_TOP:
        raise unreadable(f"the score is no whole number from 0 to {DIGIT_TOP}")
    return value / DIGIT_TOP


def _unit(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise unreadable(f"the {name} is no number")
    if not 0 <= value <= 1 or not unit(value):
        raise unreadable(f"the {name} is not in [0, 1]")
    return float(value)


def _boolean(said: Mapping[str, object], name: str) -> bool:
    value = said.get(name)
    if value is None or isinstance(value, bool):
        return value is True
    raise unreadable(f"`{name}` is neither true nor false")


def _text(said: Mapping[str, object], name: str) -> str:
    value = said.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    raise unreadable(f"`{name}` is no text")


def _items(value: object, name: str) -> Sequence[Mapping[str, object]]:
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise unreadable(f"`{name}` is no list of objects")


def _findings(value: object) -> tuple[Finding, ...]:
    findings = tuple(_finding(item) for item in _items(value, "findings"))
    if len({finding.criterion_id for finding in findings}) != len(findings):
        raise unreadable("the reply answers a criterion twice")
    return findings


def _finding(item: Mapping[str, object]) -> Finding:
    criterion_id, status = item.get("criterion_id"), item.get("status")
    if not isinstance(criterion_id, str):
        raise unreadable("a finding names no criterion")
    known = _STATUSES.get(status) if isinstance(status, str) else None
    if known is None:
        raise unreadable("a finding has no status, or one that does not exist")
    return Finding(
        criterion_id=criterion_id,
        status=known,
        evidence=tuple(_evidence(quoted) for quoted in _items(item.get("evidence"), "evidence")),
        notes=_text(item, "reasoning"),
    )


def _evidence(item: Mapping[str, object]) -> Evidence:
    quote, index = item.get("quote"), item.get("message_index")
    if not isinstance(quote, str):
        raise unreadable("a quotation is no text")
    if index is not None and (isinstance(index, bool) or not isinstance(index, int) or index < 0):
        raise unreadable("a quotation's message is no index")
    span = item.get("span_id")
    if span is not None and not isinstance(span, str):
        raise unreadable("a quotation's span is no text")
    return Evidence(quote, index, (span or "").strip(" []").lower())


def _require_consistent(
    said: Mapping[str, object], score: float, findings: Sequence[Finding]
) -> None:
    """Refuse what no reading makes consistent; anything less is the judge's to weigh."""
    statuses = {finding.status for finding in findings}
    if (score == 1 and statuses == {FindingStatus.UNMET}) or (
        score == 0 and statuses == {FindingStatus.MET}
    ):
        raise unreadable("the reply contradicts itself: its score and all of its findings")
    for name in _VERDICTS:
        verdict = said.get(name)
        word = verdict.strip().lower() if isinstance(verdict, str) else ""
        if (score < 0.5 and (verdict is True or word in _YES)) or (
            score > 0.5 and (verdict is False or word in _NO)
        ):
            raise unreadable("the reply contradicts itself: its score and its verdict")
