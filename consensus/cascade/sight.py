"""What the judges of a panel are shown where it sees less than everything, and their answers
counted as if they had seen it all.
"""

import json
from collections.abc import Mapping

from msgspec.structs import replace

from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Evidence, Finding, GradientResult
from consensus.domain.ports import Judge
from consensus.domain.sight import Sees
from consensus.domain.submission import Message, Submission

_CUT = "…"


class Sight:
    """One panel's view of one submission."""

    def __init__(self, evaluation: Evaluation, sees: Sees) -> None:
        submission = evaluation.submission
        every = submission.messages
        first = 0 if sees.messages is None else max(len(every) - sees.messages, 0)
        self._left_out = first
        self._whole = evaluation
        shown = replace(
            submission,
            messages=tuple([_message(message, sees) for message in every[first:]]),
            outputs=_outputs(submission, sees),
        )
        # What was worked out for the whole, such as its encoding, does not hold for this.
        self._shown = Evaluation(
            shown,
            evaluation.hierarchy,
            evaluation.memo_of_trace(),
            ledgers=evaluation.ledgers,
        )

    def given(self, judge: Judge) -> Evaluation:
        """Return what this judge is asked: checks and policies need all of it."""
        return self._shown if _sees_less(judge) else self._whole

    def counted(self, judge: Judge, answer: object) -> object:
        """Return its answer with the messages counted from the submission's first; an answer that
        breaks the contract stays as it is.
        """
        if not (self._left_out and isinstance(answer, GradientResult) and _sees_less(judge)):
            return answer
        try:
            return replace(answer, findings=tuple(map(self._finding, answer.findings)))
        except (AttributeError, TypeError):
            return answer

    def _finding(self, finding: Finding) -> Finding:
        return replace(finding, evidence=tuple(map(self._evidence, finding.evidence)))

    def _evidence(self, evidence: Evidence) -> Evidence:
        index = evidence.message_index
        if index is None or index < 0:
            return evidence
        return replace(evidence, message_index=index + self._left_out)


def _sees_less(judge: Judge) -> bool:
    return judge.waits and judge.kind != "policy"


def _message(message: Message, sees: Sees) -> Message:
    if message.role != "tool" or sees.tool_chars is None:
        return message
    return Message(message.role, _cut(message.content, sees.tool_chars))


def _outputs(submission: Submission, sees: Sees) -> Mapping[str, object]:
    return {key: _output(value, sees) for key, value in submission.outputs.items()}


def _output(value: object, sees: Sees) -> object:
    """Return an output as it is where it is short enough, else its text, cut."""
    try:
        if isinstance(value, list):
            return _list(value, sees)
        most = sees.object_chars if isinstance(value, Mapping) else sees.output_chars
        text = value if isinstance(value, str) else _json(value)
    except (TypeError, ValueError, RecursionError):
        return value  # no JSON; whoever reads it will say so
    return value if most is None or len(text) <= most else _cut(text, most)


def _list(items: list[object], sees: Sees) -> object:
    shown = items[: sees.list_items]
    whole = [_json(item) for item in shown]
    texts = whole if sees.item_chars is None else [_cut(text, sees.item_chars) for text in whole]
    more = len(items) - len(shown)
    if texts == whole and not more:
        return items
    return f"[{', '.join([*texts, *[f'{_CUT} and {more} more'] * bool(more)])}]"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + _CUT


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
