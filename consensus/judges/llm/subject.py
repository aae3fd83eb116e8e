"""What is judged, as the text that a model reads: bounded, and without its producer.

One submission is put into words once for all seats that ask with the same bounds.
"""

import hashlib
import json
from collections.abc import Sequence

from msgspec import Struct, field

from consensus.domain.evaluation import Evaluation
from consensus.domain.submission import Criterion, Submission
from consensus.judges.llm.conversation import CHARS_PER_TOKEN, outlined, told
from consensus.judges.llm.length import is_long
from consensus.judges.llm.scenario import rules_of_test
from consensus.judges.llm.surroundings import (
    BLOCKED,
    blocked_in,
    process_of,
    step_of,
    without_producer,
)
from consensus.traces import Digest, digest_of, is_large
from consensus.traces.digest import FULL_TOKENS, STRUCTURE_TOKENS


class Telling(Struct, frozen=True, kw_only=True):
    """How much of a trace, or of a conversation, is told."""

    tokens: int
    """The largest estimate at which a trace is told whole; a conversation too, with `tools`."""
    tools: bool = False
    """Whether the judge can look up what is told in outline."""
    trace: bool = True
    """Whether the question has a place for a trace."""
    bare: bool = False

    @property
    def key(self) -> str:
        """What tells one from another."""
        return f"{self.tokens}:{self.tools}:{self.trace}:{self.bare}"


_AS_IT_IS = Telling(tokens=FULL_TOKENS)


class Outlined(Struct, frozen=True, kw_only=True):
    """What is told in outline only."""

    trace: bool = False
    messages: bool = False

    @property
    def any(self) -> bool:
        """Whether anything is."""
        return self.trace or self.messages


class Subject(Struct, frozen=True):
    """A submission in words. Nothing in it is fenced yet."""

    task: str
    rubric: tuple[Criterion, ...]
    order: tuple[Criterion, ...]
    """The rubric in the order of the seed."""
    context: str
    """JSON; empty where there is none."""
    messages: str
    candidate: str
    outputs: tuple[str, ...]
    process: str
    """Exit code and standard error, cut; empty where there is no process."""
    blocked: str
    """Tools that the platform's policy stopped, one a line; empty where there are none."""
    messages_told: tuple[int, int]
    """Messages told whole, and all of them."""
    trace: str
    """Empty where there is none."""
    outlined: Outlined
    digest: str
    """64 hexadecimal digits of everything that a judge may see."""
    situation: str = ""
    """What the simulated user of a test plays; empty where there is none."""
    test: str = ""
    """The rules of judging a test, our own words; empty where the conversation is none."""
    prompts: dict[object, str] = field(default_factory=dict)
    """What is asked about it, by wording, so that seats that ask alike put it together once."""

    @property
    def seed(self) -> int:
        """The seed of the criteria's order, 0 to 2**32 - 1."""
        return seed_of(self.digest)

    def holds(self, text: str) -> bool:
        """Tell whether `text` stands anywhere in it."""
        plain = (self.task, self.context, self.messages, self.trace, self.candidate, *self.outputs)
        plain += (self.process, self.blocked, self.situation)
        return any(text in part for part in (*plain, *[c.id + c.text for c in self.rubric]))


def subject_of(
    evaluation: Evaluation, max_tokens: int, keep: int, telling: Telling = _AS_IT_IS
) -> Subject:
    """Return the submission in words: where they are above `max_tokens`, by the estimate of four
    characters to a token, at most the last `keep` messages are told whole, fewer where they too
    are more than fits, and one in any case. Raises TraceUnusable.
    """
    key = f"llm.subject:{max_tokens}:{keep}:{telling.key}"
    found = evaluation.memo.get(key)
    if not isinstance(found, Subject):
        found = evaluation.memo[key] = _subject(evaluation, max_tokens, keep, telling)
    return found


def takes_long(evaluation: Evaluation, telling: Telling) -> bool:
    """Tell whether putting it into words is work for a thread of its own."""
    submission = evaluation.submission
    if telling.trace and submission.trace and is_large(evaluation):
        return True
    return is_long(submission)


def seed_of(digest: str) -> int:
    """Return the seed that goes with a digest."""
    return int(digest[:8], 16)


def permuted(rubric: Sequence[Criterion], seed: int) -> tuple[Criterion, ...]:
    """Return the criteria in the order of this seed, the same on every machine."""

    def place(criterion: Criterion) -> bytes:
        return hashlib.sha256(f"{seed}:{criterion.id}".encode()).digest()

    return tuple(sorted(rubric, key=place))


def _trace(evaluation: Evaluation, max_tokens: int, telling: Telling) -> Digest:
    if not (evaluation.submission.trace and telling.trace):
        return Digest("", whole=True)
    room = min(max(max_tokens // 2, 1_024), STRUCTURE_TOKENS)
    return digest_of(evaluation, telling.tokens, room, bare=telling.bare, tools=telling.tools)


def _subject(evaluation: Evaluation, max_tokens: int, keep: int, telling: Telling) -> Subject:
    submission = evaluation.submission
    known = {**step_of(submission.turn), **submission.context}
    blocked, process = blocked_in(submission), process_of(submission.process)
    if blocked:
        known.pop(BLOCKED, None)  # told in a block of its own
    context = _json(without_producer(known)) if known else ""
    outputs = tuple(
        f"key: {json.dumps(key, ensure_ascii=False)}\n{_text(value)}"
        for key, value in submission.outputs.items()
    )
    trace = _trace(evaluation, max_tokens, telling)
    skeleton = outlined(submission.messages, telling.tokens) if telling.tools else ""
    fixed = [submission.task, context, submission.candidate, trace.text, *outputs, process, blocked]
    fixed += [criterion.text for criterion in submission.rubric]
    scenario = submission.scenario
    situation, test = (scenario.description, rules_of_test(submission)) if scenario else ("", "")
    fixed += [situation, test]
    room = max_tokens * CHARS_PER_TOKEN - sum(map(len, fixed))
    messages, count = (skeleton, 0) if skeleton else told(submission.messages, room, keep)
    test_facts = ascii((submission.scenario, test)) if test else ""
    more = process + blocked + test_facts + trace.text
    digest = _digest(submission, context, outputs, more)
    return Subject(
        task=submission.task,
        rubric=submission.rubric,
        order=permuted(submission.rubric, seed_of(digest)),
        context=context,
        messages=messages,
        candidate=submission.candidate,
        outputs=outputs,
        process=process,
        blocked=blocked,
        messages_told=(count, len(submission.messages)),
        trace=trace.text,
        outlined=Outlined(trace=not trace.whole, messages=bool(skeleton)),
        digest=digest,
        situation=situation,
        test=test,
    )


def _text(value: object) -> str:
    """Return an output as quotations of it are located: strings bare, all else as JSON."""
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def _digest(submission: Submission, context: str, outputs: tuple[str, ...], more: str) -> str:
    """Return what the order of the criteria hangs on; `more` is empty for plain submissions."""
    rubric = [(c.id, c.text, c.required, c.weight) for c in submission.rubric]
    messages = [(message.role, message.content) for message in submission.messages]
    parts: tuple[object, ...]
    parts = (submission.task, submission.candidate, context, outputs, rubric, messages)
    told = ascii(parts) + (ascii(more) if more else "")
    return hashlib.sha256(told.encode("ascii")).hexdigest()
