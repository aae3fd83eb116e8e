"""What is judged, as the text that a model reads: numbered messages, bounded, without its producer.

One submission is put into words once for all seats that ask with the same bounds.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from consensus.domain.ports import Evaluation
from consensus.domain.submission import Criterion, Message, ProcessResult, Submission
from consensus.domain.turn import Turn
from consensus.judges.llm.scenario import rules_of_test

CHARS_PER_TOKEN = 4
"""Of the estimate: text of most languages has about so many."""
MAX_TOLD = 40
"""Most messages left out whose first words are told."""
_FIRST_WORDS = 60
STDERR_HEAD, STDERR_TAIL = 1_000, 3_000
"""Characters of a longer standard error that are told: a program's last words say why it ended."""
MAX_BLOCKED = 100
"""Most blocked tools that are named."""
_BLOCKED = "policy_violations"
"""The key of the context that says the same as the submission's own field (AEGIS's payload)."""
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_PRODUCER = frozenset(("author", "generator", "llm", "model", "producer", "provider", "vendor"))
"""A key of the context with one of these words may name who did the work, and is left out."""
_WORKER = frozenset(("agent", "assistant", "bot"))
_NAMING = _WORKER | {"id", "name", "version"}
"""So is a key of these words alone that has one of _WORKER, such as `agent_name`."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Subject:
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
    digest: str
    """64 hexadecimal digits of everything that a judge may see."""
    situation: str = ""
    """What the simulated user of a test plays; empty where there is none."""
    test: str = ""
    """The rules of judging a test, our own words; empty where the conversation is none."""
    prompts: dict[object, str] = field(default_factory=dict, compare=False, repr=False)
    """What is asked about it, by wording, so that seats that ask alike put it together once."""

    @property
    def seed(self) -> int:
        """The seed of the criteria's order, 0 to 2**32 - 1."""
        return seed_of(self.digest)

    def holds(self, text: str) -> bool:
        """Tell whether `text` stands anywhere in it."""
        plain = (self.task, self.context, self.messages, self.candidate, *self.outputs)
        plain += (self.process, self.blocked, self.situation)
        return any(text in part for part in (*plain, *[c.id + c.text for c in self.rubric]))


def subject_of(evaluation: Evaluation, max_tokens: int, keep: int) -> Subject:
    """Return the submission in words: where they are above `max_tokens`, by the estimate of four
    characters to a token, at most the last `keep` messages are told whole, fewer where they too
    are more than fits, and one in any case.
    """
    key = f"llm.subject:{max_tokens}:{keep}"
    found = evaluation.memo.get(key)
    if not isinstance(found, Subject):
        found = evaluation.memo[key] = _subject(evaluation.submission, max_tokens, keep)
    return found


def seed_of(digest: str) -> int:
    """Return the seed that goes with a digest."""
    return int(digest[:8], 16)


def permuted(rubric: Sequence[Criterion], seed: int) -> tuple[Criterion, ...]:
    """Return the criteria in the order of this seed, the same on every machine."""

    def place(criterion: Criterion) -> bytes:
        return hashlib.sha256(f"{seed}:{criterion.id}".encode()).digest()

    return tuple(sorted(rubric, key=place))


def _subject(submission: Submission, max_tokens: int, keep: int) -> Subject:
    known = {**_step(submission.turn), **submission.context}
    blocked, process = _blocked(submission), _process(submission.process)
    if blocked:
        known.pop(_BLOCKED, None)  # told in a block of its own
    context = _json(_without_producer(known)) if known else ""
    outputs = tuple(
        f"key: {json.dumps(key, ensure_ascii=False)}\n{_text(value)}"
        for key, value in submission.outputs.items()
    )
    told = [_numbered(index, message) for index, message in enumerate(submission.messages)]
    fixed = [submission.task, context, submission.candidate, *outputs, process, blocked]
    fixed += [criterion.text for criterion in submission.rubric]
    scenario = submission.scenario
    situation, test = (scenario.description, rules_of_test(submission)) if scenario else ("", "")
    fixed += [situation, test]
    room = max_tokens * CHARS_PER_TOKEN - sum(map(len, fixed))
    start = _first_told(told, room, keep)
    left_out = _left_out(submission.messages[:start]) if start else []
    test_facts = ascii((submission.scenario, test)) if test else ""
    digest = _digest(submission, context, outputs, process + blocked + test_facts)
    return Subject(
        task=submission.task,
        rubric=submission.rubric,
        order=permuted(submission.rubric, seed_of(digest)),
        context=context,
        messages="\n".join([*left_out, *told[start:]]),
        candidate=submission.candidate,
        outputs=outputs,
        process=process,
        blocked=blocked,
        messages_told=(len(told) - start, len(told)),
        digest=digest,
        situation=situation,
        test=test,
    )


def _first_told(told: Sequence[str], room: int, keep: int) -> int:
    """Return the index of the first message that is told whole."""
    total = sum(map(len, told)) + len(told)
    if total <= room:
        return 0
    start = max(len(told) - keep, 0)
    total = sum(map(len, told[start:])) + len(told) - start
    while total > room and start < len(told) - 1:
        total -= len(told[start]) + 1
        start += 1
    return start


def _numbered(index: int, message: Message) -> str:
    """Return a message with its index; its further lines are indented, so that none can pass for
    another message. Quotations are located with white space evened out.
    """
    role = message.role if message.role in _ROLES else "other"
    return f"[{index}] {role}: " + "\n    ".join(message.content.splitlines())


def _left_out(messages: Sequence[Message]) -> list[str]:
    """Return lines that sum up the messages before the first one told."""
    count = len(messages)
    roles = Counter(message.role if message.role in _ROLES else "other" for message in messages)
    counted = ", ".join(f"{role} {number}" for role, number in sorted(roles.items()))
    lines = [f"[0..{count - 1}] left out: {count} messages ({counted}). How the last ones begin:"]
    for index in range(max(count - MAX_TOLD, 0), count):
        first = " ".join(messages[index].content[: 4 * _FIRST_WORDS].split())[:_FIRST_WORDS]
        role = messages[index].role if messages[index].role in _ROLES else "other"
        lines.append(f"    [{index}] {role}: {first}…")
    return lines


def _without_producer(value: object) -> object:
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if not _names_producer(str(key))}
        return {key: _without_producer(item) for key, item in kept.items()}
    if isinstance(value, (list, tuple)):
        return [_without_producer(item) for item in value]
    return value


def _names_producer(key: str) -> bool:
    words = {word.lower() for word in _WORDS.findall(key)}
    return bool(words & _PRODUCER) or (bool(words & _WORKER) and words <= _NAMING)


def _step(turn: Turn | None) -> dict[str, str]:
    """Return what a turn says of its step, so that it can be judged by that."""
    if turn is None:
        return {}
    said = {"step": turn.node_description, "success_criteria": turn.success_criteria}
    return {key: words for key, words in said.items() if words}


def _process(process: ProcessResult | None) -> str:
    """Return how the candidate's process ended."""
    if process is None:
        return ""
    told = process.stderr
    if (more := len(told) - STDERR_HEAD - STDERR_TAIL) > 0:
        told = f"{told[:STDERR_HEAD]}\n[{more} characters left out]\n{told[-STDERR_TAIL:]}"
    return f"exit code: {process.exit_code}\nstderr:" + (f"\n{told}" if told else " (empty)")


def _blocked(submission: Submission) -> str:
    """Return the tools that were stopped, by the submission's own field and by its context."""
    found = submission.context.get(_BLOCKED)
    named = [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    names = list(dict.fromkeys((*submission.policy_violations, *named)))
    told = [json.dumps(name, ensure_ascii=False) for name in names[:MAX_BLOCKED]]
    more = [f"and {len(names) - MAX_BLOCKED} more"] if len(names) > MAX_BLOCKED else []
    return "\n".join([*told, *more])


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
    parts = (submission.task, submission.candidate, context, outputs, rubric, messages)
    told = ascii(parts) + (ascii(more) if more else "")
    return hashlib.sha256(told.encode("ascii")).hexdigest()
