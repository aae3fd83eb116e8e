"""conduct: refusal, placeholders, truncation, repetition, and claims of work without a sign of it.

Each detector starts at 1 and falls with what it sees; score = the lowest detector. Seeing a fault
is better evidence than seeing none: confidence 0.8 with a fault quoted, 0.5 without. English only.
Looks at the candidate alone, never at its truth.
"""

from typing import Literal

from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Answer, GradientResult, Signal
from consensus.judges.embedded.detectors import DETECTORS, Seen, truncation

CONFIDENCE_WITH_FAULT = 0.8
CONFIDENCE_WITHOUT = 0.5
MAX_CHARS = 100_000
"""Longest text that is read; what lies beyond lowers the confidence. The end is always read."""
FAULT = 0.7
"""A detector below this has seen a fault."""


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
        seen = {name: detect(text) for name, detect in DETECTORS.items()}
        seen["truncation"] = truncation(text, whole)
        return _gradient(seen, len(text) / len(whole))


def _gradient(seen: dict[str, Seen], share_read: float) -> GradientResult:
    signals = tuple(Signal(name, score, message) for name, (score, message) in seen.items())
    noted = [signal for signal in signals if signal.score < 1]
    fault = any(signal.score < FAULT for signal in noted)
    return GradientResult(
        score=min(signal.score for signal in signals),
        confidence=CONFIDENCE_WITH_FAULT if fault else CONFIDENCE_WITHOUT * share_read,
        reasoning="; ".join(f"{signal.category}: {signal.message}" for signal in noted)
        or "No refusal, placeholder, truncation, repetition or empty claim was seen.",
        signals=signals,
    )


def _without_text(has_outputs: bool) -> Answer:
    if has_outputs:
        return Abstention("There are outputs and no candidate text to look at.")
    return _gradient({"empty": (0.0, "The candidate is empty.")}, 1.0)
