"""The question: one template, filled with a subject whose every part is fenced.

The shipped template is versioned; its golden text in the tests changes only with PROMPT_VERSION.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template

from consensus.domain.submission import Criterion
from consensus.domain.templates import MORE_FIELDS, NEEDED_FIELDS, parted
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
_FIELDS = (*NEEDED_FIELDS, *MORE_FIELDS)
NO_RUBRIC = (
    "(No list of criteria is given: judge how well the work does its task and, where the context"
    " below has `success_criteria`, how well it meets these.)"
)
NONE = "(none)"

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
        self.length = len(self.system) + len(user)
        """Characters of the prompt without any subject."""
        digest = hashlib.sha256(template.encode("utf-8", "surrogatepass")).hexdigest()
        self.version = f"custom-{digest[:12]}" if template else PROMPT_VERSION

    def user(
        self, subject: Subject, order: Sequence[Criterion], make_nonce: Nonce, ask: str
    ) -> str:
        """Return the user message. No text of the subject can close its fence: the key is made
        after the subject, and made again should the subject hold it.
        """
        nonce = make_nonce()
        while subject.holds(nonce):
            nonce = make_nonce()
        outputs = [fenced("OUTPUT", output, nonce) for output in subject.outputs]
        told = {
            "nonce": nonce,
            "rubric": fenced("RUBRIC", _rubric(order), nonce) if order else NO_RUBRIC,
            "task": fenced("TASK", subject.task, nonce),
            "context": fenced("CONTEXT", subject.context, nonce) if subject.context else NONE,
            "messages": fenced("MESSAGES", subject.messages, nonce) if subject.messages else NONE,
            "candidate": "\n".join([fenced("CANDIDATE", subject.candidate, nonce), *outputs]),
            "ask": ask,
        }
        pieces = self._pieces.copy()
        pieces[1::2] = [told[field] for field in pieces[1::2]]
        return "".join(pieces)


def fenced(name: str, text: str, nonce: str) -> str:
    """Return `text` as a block that only this nonce closes."""
    return f"<<<{name} {nonce}\n{text}\n{name} {nonce}>>>"


def _rubric(order: Sequence[Criterion]) -> str:
    weighted = any(criterion.weight != 1 for criterion in order)
    lines = []
    for criterion in order:
        kind = "required" if criterion.required else "optional"
        weight = f", weight {criterion.weight:g}" if weighted else ""
        text = "\n    ".join(criterion.text.splitlines())
        lines.append(f"{criterion.id} ({kind}{weight}): {text}")
    return "\n".join(lines)
