"""Criteria from a goal: derived once and handed to every judge of every turn.

The same text gives the same id, whatever stands beside it: a few words and a digest.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from consensus.domain.judges import LlmSpec
from consensus.domain.submission import MAX_CRITERIA, Criterion
from consensus.judges.llm.asking import LARGER, Asking
from consensus.judges.llm.chat import Ask, Reply
from consensus.judges.llm.prompt import AGAIN, Nonce, fenced
from consensus.judges.llm.reading import read_object, unreadable
from consensus.judges.llm.reply import require_whole

SYSTEM = Path(__file__).with_name("derive.txt").read_text("utf-8").strip()
MAX_TEXT = 1_000
MIN_TOKENS = 1_500
"""Room for a list of criteria, where the judge's own replies are shorter."""
_SLUG = 32
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "required": {"type": "boolean"}},
                "required": ["text", "required"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["criteria"],
    "additionalProperties": False,
}


async def derive(
    asking: Asking, spec: LlmSpec, task: str, max_criteria: int, make_nonce: Nonce
) -> tuple[Criterion, ...]:
    """Return the criteria of a task, the most important first, 1 to `max_criteria` (at most
    MAX_CRITERIA) of them. Raises JudgeFailed.
    """
    most = min(max(max_criteria, 1), MAX_CRITERIA)

    def ask(failed: Exception | None) -> Ask:
        return question(spec, task, most, make_nonce, failed)

    def read(reply: Reply) -> tuple[Criterion, ...]:
        require_whole(reply)
        return read_criteria(reply.text, most)

    return await asking.twice(ask, read)


def question(
    spec: LlmSpec, task: str, most: int, make_nonce: Nonce, failed: Exception | None = None
) -> Ask:
    """Return the call that asks for criteria; `failed` is how the call before it did."""
    nonce = make_nonce()
    while nonce in task:
        nonce = make_nonce()
    parts = [f"The KEY of this message is {nonce}.", fenced("TASK", task, nonce)]
    parts.append(f"Derive at most {most} criteria.")
    if failed is not None:
        parts.append(AGAIN.format(reason=failed))
    return Ask(
        model=spec.model,
        system=SYSTEM,
        user="\n\n".join(parts),
        max_tokens=max(spec.max_tokens, MIN_TOKENS) * (1 if failed is None else LARGER),
        schema=SCHEMA,
        temperature=None if spec.temperature is None else 0.0,
        seed=0,
    )


def read_criteria(text: str, most: int) -> tuple[Criterion, ...]:
    """Return the first `most` different criteria of a reply. Raises JudgeFailed (UNREADABLE)."""
    said, _ = read_object(text)
    items = said.get("criteria")
    if not isinstance(items, list):
        raise unreadable("the reply holds no list of criteria")
    found: dict[str, Criterion] = {}
    for item in items:
        criterion = _criterion(item)
        if criterion is not None:
            found.setdefault(criterion.id, criterion)
    if not found:
        raise unreadable("the reply holds no criterion")
    return tuple(found.values())[:most]


def _criterion(item: object) -> Criterion | None:
    """Return one criterion; None where its text is blank."""
    if not isinstance(item, dict):
        raise unreadable("a criterion is no object")
    text, required = item.get("text"), item.get("required")
    if not isinstance(text, str) or not isinstance(required, bool):
        raise unreadable("a criterion has no text, or does not say whether it is required")
    plain = " ".join(text.split())[:MAX_TEXT]
    if not plain:
        return None
    return Criterion(id=criterion_id(plain), text=plain, required=required)


def criterion_id(text: str) -> str:
    """Return the id of a criterion's text; case, white space and a last full stop do not count."""
    plain = " ".join(text.split()).casefold().rstrip(".")
    digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    slug = "_".join(re.findall(r"[a-z0-9]+", plain))[:_SLUG].strip("_")
    return f"{slug}-{digest}" if slug else f"criterion-{digest}"
