"""conduct: refusal, placeholders, truncation, repetition, and claims of work without a sign of it.

Each detector starts at 1 and falls with what it sees; score = the lowest detector. Seeing a fault
is better evidence than seeing none: confidence 0.8 with a fault quoted, 0.5 without. English only.
Looks at the candidate alone, never at its truth.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Literal

from consensus.domain.gradient import Abstention, Answer, GradientResult, Signal
from consensus.domain.ports import Evaluation

CONFIDENCE_WITH_FAULT = 0.8
CONFIDENCE_WITHOUT = 0.5
MAX_CHARS = 100_000
FAULT = 0.7
"""A detector below this has seen a fault."""

_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)\b[^.\n]{0,80}\b(?:can(?:'|no)t|unable|not able"
    r"|assist|help)|i (?:can(?:'|no)?t|won't|will not|must decline to) (?:help|assist|comply"
    r"|provide|do that|fulfil)|as an ai(?: language)? model)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|FIXME|TBD)\b|\blorem ipsum\b|\[(?:insert|your|add)\b[^\]\n]{0,60}\]"
    r"|<(?:insert|your|placeholder)\b[^>\n]{0,60}>"
    r"|\.\.\. ?(?:rest of|existing|remaining) (?:the )?(?:code|text|implementation)"
    r"|(?:#|//) ?(?:your code|implementation) (?:here|goes here)",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:i(?:'ve| have) (?:successfully )?(?:completed|finished|implemented|fixed|done|tested"
    r"|verified)|(?:the )?task is (?:now )?(?:complete|done)|all (?:tests|checks) pass(?:ed)?"
    r"|successfully completed)\b",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(r"```|\d|https?://|[\"“][^\"”\n]{8,}[\"”]|^\s*(?:[-*•]|\d+\.)\s", re.M)

_Seen = tuple[float, str]
"""A detector's score and what it saw."""


class ConductJudge:
    """Answers from how the candidate behaves, not from what it says."""

    name = "conduct"
    kind = "embedded"
    waits: Literal[False] = False
    description = "Refusal, placeholders, truncation, repetition, empty claims; English only."

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Return the lowest detector's score, with one signal for each detector."""
        whole = evaluation.submission.candidate.strip()
        if not whole:
            return _without_text(bool(evaluation.submission.outputs))
        text = whole[:MAX_CHARS]
        read = {"truncation": whole}
        signals = tuple(
            Signal(name, *detect(read.get(name, text))) for name, detect in DETECTORS.items()
        )
        worst = min(signals, key=lambda signal: signal.score)
        faults = [signal for signal in signals if signal.score < FAULT]
        certainty = CONFIDENCE_WITH_FAULT if faults else CONFIDENCE_WITHOUT * len(text) / len(whole)
        return GradientResult(
            score=worst.score,
            confidence=certainty,
            reasoning="; ".join(f"{fault.category}: {fault.message}" for fault in faults)
            or "No refusal, placeholder, truncation, repetition or empty claim was seen.",
            signals=signals,
        )


def _without_text(has_outputs: bool) -> Answer:
    if has_outputs:
        return Abstention("There are outputs and no candidate text to look at.")
    empty = Signal("empty", 0.0, "The candidate is empty.")
    return GradientResult(
        score=0.0, confidence=CONFIDENCE_WITH_FAULT, reasoning=empty.message, signals=(empty,)
    )


def _refusal(text: str) -> _Seen:
    match = _REFUSAL.search(text)
    if match is None:
        return 1.0, "none seen"
    opens = match.start() < 200
    short = len(text) < 600
    return (0.1 if opens and short else 0.4 if opens else 0.75), f'"{match[0][:120]}"'


def _placeholders(text: str) -> _Seen:
    found = _PLACEHOLDER.findall(text)
    if not found:
        return 1.0, "none seen"
    return max(0.6 - 0.1 * len(found), 0.1), f"{len(found)} seen, such as {found[0][:80]!r}"


def _truncation(text: str) -> _Seen:
    if _open_fence(text):
        return 0.3, "the last code fence is never closed"
    tail = text[-40:]
    if tail[-1] in ",(:[{" or re.search(r"\b(?:and|or|the|a|to|of|with|because)$", tail):
        return 0.4, f"ends in mid-sentence: {tail!r}"
    return 1.0, "none seen"


def _open_fence(text: str) -> bool:
    return sum(line.lstrip().startswith("```") for line in text.splitlines()) % 2 == 1


def _repetition(text: str) -> _Seen:
    lines = [line.strip() for line in re.split(r"[\n.!?]+", text) if len(line.strip()) > 20]
    if len(lines) < 4:
        return 1.0, "none seen"
    repeated = Counter(lines)
    line, times = repeated.most_common(1)[0]
    share = 1 - len(repeated) / len(lines)
    if share < 0.3 and times < 4:
        return 1.0, "none seen"
    return max(1 - share - 0.2, 0.1), f"{times} times {line[:80]!r}"


def _claims(text: str) -> _Seen:
    match = _CLAIM.search(text)
    if match is None or len(text) > 400 or _SUBSTANCE.search(text):
        return 1.0, "none seen"
    return 0.3, f'claims without anything to show: "{match[0]}"'


DETECTORS: dict[str, Callable[[str], _Seen]] = {
    "refusal": _refusal,
    "placeholders": _placeholders,
    "truncation": _truncation,
    "repetition": _repetition,
    "unsupported_claim": _claims,
}
