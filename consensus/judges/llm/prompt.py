"""The question: one template, filled with a subject whose every part is fenced.

The shipped template is versioned; its golden text in the tests changes only with PROMPT_VERSION.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template

from consensus.domain.submission import Criterion
from consensus.domain.templates import MORE_FIELDS, NEEDED_FIELDS, parted
from consensus.judges.llm.scenario import SITUATION
from consensus.judges.llm.subject import Subject

PROMPT_VERSION = "2"
"""Goes up with every change of prompt.txt, of the wordings below, or of how a subject is told."""
SHIPPED = Path(__file__).with_name("prompt.txt").read_text("utf-8")

ASKS = (
    "Judge the work in the last blocks now, by the rules above.",
    "By the rules above: what does the work in the last blocks deserve, each criterion in turn?",
)
"""The closing request, and the same in other words for a second pass."""
AGAIN = (
    "An earlier answer to this could not be used: {reason}. Follow the form of the answer exactly,"
    " be brief, and write nothing else."
)
LOOK_UP = (
    "What is told in outline above is longer than that: look up what you need with the tools, in at"
    " most {steps} steps, then answer."
)
LOOKED_UP = "What was looked up before, and what came of it:"
_FIELDS = (*NEEDED_FIELDS, *MORE_FIELDS)
NO_RUBRIC = (
    "(No list of criteria is given: judge how well the work does its task and, where the context"
    " below has `success_criteria`, how well it meets these.)"
)
NONE = "(none)"
UNTRACED = "(not recorded)"
"""Spans that nobody has are no sign that nothing was done."""
ATTEMPTED = "Attempted, and stopped by the policy of the platform before they ran, calls of:"

Nonce = Callable[[], str]
"""Makes a key that nobody can guess, a new one each time it is called."""


class Prompt:
    """A template, ready to be filled."""

    def __init__(self, template: str, reply: str) -> None:
        """Take a sound template, or an empty one for the shipped; `reply` says how to answer."""
        system, user = parted(template or SHIPPED)
        self.system = Template(system).substitute(reply=reply)
        filled = Template(user).substitute({field: f"\0{field}\0" for field in _FIELDS})
        self._pieces = filled.split("\0")  # text and field in turns: parsed once, joined often
        self.tells_trace = "trace" in self._pieces[1::2]
        self.length = len(self.system) + len(user)
        """Characters of the prompt without any subject."""
        digest = hashlib.sha256(template.encode("utf-8", "surrogatepass")).hexdigest()
        self.version = f"custom-{digest[:12]}" if template else PROMPT_VERSION

    def user(
        self,
        subject: Subject,
        order: Sequence[Criterion],
        make_nonce: Nonce,
        ask: str,
        found: str = "",
    ) -> str:
        """Return the user message; `found` is what was looked up of the subject. No text of either
        can close its fence: the key is made after them, and made again should they hold it.
        """
        nonce = make_nonce()
        while subject.holds(nonce) or nonce in found:
            nonce = make_nonce()
        if found:
            ask = f"{LOOKED_UP}\n{fenced('LOOKUPS', found, nonce)}\n\n{ask}"
        outputs = [fenced("OUTPUT", output, nonce) for output in subject.outputs]
        if subject.process:
            outputs.append(fenced("PROCESS", subject.process, nonce))
        told = {
            "nonce": nonce,
            "rubric": fenced("RUBRIC", _rubric(order), nonce) if order else NO_RUBRIC,
            "task": fenced("TASK", subject.task, nonce),
            "context": fenced("CONTEXT", subject.context, nonce) if subject.context else NONE,
            "messages": _conversation(subject, nonce),
            "trace": fenced("TRACE", subject.trace, nonce) if subject.trace else UNTRACED,
            "candidate": "\n".join([fenced("CANDIDATE", subject.candidate, nonce), *outputs]),
            "ask": f"{_test(subject, nonce)}\n\n{ask}" if subject.test else ask,
        }
        pieces = self._pieces.copy()
        pieces[1::2] = [told[field] for field in pieces[1::2]]
        return "".join(pieces)


def fenced(name: str, text: str, nonce: str) -> str:
    """Return `text` as a block that only this nonce closes."""
    return f"<<<{name} {nonce}\n{text}\n{name} {nonce}>>>"


def _test(subject: Subject, nonce: str) -> str:
    """Return what is said of a test; before the request, so that templates need no field for it."""
    situation = fenced("SCENARIO", subject.situation, nonce) if subject.situation else NONE
    return f"{SITUATION}\n{situation}\n\n{subject.test}"


def _conversation(subject: Subject, nonce: str) -> str:
    """Return the messages and what was stopped; here, because every template has this field."""
    told = fenced("MESSAGES", subject.messages, nonce) if subject.messages else NONE
    if not subject.blocked:
        return told
    return f"{told}\n{ATTEMPTED}\n{fenced('BLOCKED', subject.blocked, nonce)}"


def _rubric(order: Sequence[Criterion]) -> str:
    weighted = any(criterion.weight != 1 for criterion in order)
    lines = []
    for criterion in order:
        kind = "required" if criterion.required else "optional"
        weight = f", weight {criterion.weight:g}" if weighted else ""
        text = "\n    ".join(criterion.text.splitlines())
        lines.append(f"{criterion.id} ({kind}{weight}): {text}")
    return "\n".join(lines)
