"""The steps in which a judge looks things up, before it decides without any tools."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from consensus.domain.errors import JudgeFailed
from consensus.judges.llm.asking import WORTH_ANOTHER, Asking
from consensus.judges.llm.chat import Ask, Exchange, Finish, Reply, ToolUse
from consensus.judges.llm.lookups import MAX_USES, STEP_CHARS
from consensus.judges.llm.prompt import Nonce, fenced
from consensus.judges.llm.tool_use import as_json, called

_KEY = "The KEY of this message is {nonce}.\n"
_WIDEST = "\N{GRINNING FACE}"
"""A character of four bytes, which is what the worst case is made of."""

Answers = Callable[[Sequence[ToolUse]], Awaitable[Sequence[str]]]


class Discovered(Struct, frozen=True):
    """What came of looking."""

    found: str = ""
    """Every call and its result, as text; empty where nothing was called."""
    steps: int = 0
    """Calls of the model."""
    reply: Reply | None = None
    """What the model said when it called no tool; None where it had no more steps."""


async def discover(
    asking: Asking, ask: Ask, answers: Answers, max_steps: int, make_nonce: Nonce
) -> Discovered:
    """Ask up to `max_steps` times, answering every tool call, until the model calls none.

    Ends early where time is left for a decision alone, or a reply cannot be read. Raises
    JudgeFailed.
    """
    exchanges: list[Exchange] = []
    found: list[str] = []
    steps = 0
    while steps < max_steps and asking.time_for(2):
        steps += 1
        try:
            reply = await asking.once(replace(ask, exchanges=tuple(exchanges)))
        except JudgeFailed as failed:
            if failed.kind not in WORTH_ANOTHER:
                raise
            break
        if not reply.uses or reply.finish is not Finish.STOP:
            return Discovered("\n\n".join(found), steps, reply)
        uses = reply.uses[:MAX_USES]
        results = await answers(uses)
        exchanges.append(Exchange(uses, tuple([_data(text, make_nonce) for text in results])))
        found += [f"{_told(use)}\n{text}" for use, text in zip(uses, results, strict=True)]
    return Discovered("\n\n".join(found), steps)


def worst_steps(ask: Ask, max_steps: int) -> list[Ask]:
    """Return the calls of a discovery that costs as much as any can."""
    exchange = Exchange((), (worst_found(1),))
    return [replace(ask, exchanges=(exchange,) * step) for step in range(max_steps)]


def worst_found(steps: int) -> str:
    """Return a text as long as what so many steps find, calls included."""
    return _WIDEST * (2 * STEP_CHARS * steps)


def _data(text: str, make_nonce: Nonce) -> str:
    """Return a result as a message of its own, which nothing in it can pretend to end."""
    nonce = make_nonce()
    return _KEY.format(nonce=nonce) + fenced("RESULT", text, nonce)


def _told(use: ToolUse) -> str:
    return f"{called(use)}({'' if use.arguments is None else as_json(use.arguments)})"
