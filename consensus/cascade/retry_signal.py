"""Tells a worker what of its tool call was denied, why, and what to do instead."""

from collections.abc import Iterator, Sequence

from consensus.cascade.admission import plain
from consensus.cascade.opening import opening
from consensus.domain.decision import CheckResult, Decision
from consensus.domain.tool_call import Denial, Proposal

MAX_CHARS = 8_000
MAX_LINE = 800
MAX_TOLD = 32
"""Most tools that are named."""
_INSTEAD = {
    Denial.NO_RULE: "Use another tool, or do the task without this one. The same call will be"
    " denied again.",
    Denial.UNKNOWN_TOOL: "Use one of the tools that you have.",
    Denial.ARGUMENTS: "Correct the arguments and propose the call again.",
    Denial.REJECTED: "Change the call so that the objections no longer hold, or choose another"
    " way. The same call will be denied again.",
    Denial.NO_QUORUM: "The call may be sound: propose it again later, or choose another way.",
    Denial.FAILED: "The call may be sound: propose it again later, or choose another way.",
}


def retry_signal(denial: Denial, proposal: Proposal, why: Sequence[str]) -> str:
    """Return the worker's text, at most MAX_CHARS characters."""
    instead = _INSTEAD[denial]
    denied = proposal.call.name
    tools = [tool for tool in dict.fromkeys(proposal.available_tools) if tool != denied]
    if tools and denial in (Denial.NO_RULE, Denial.UNKNOWN_TOOL):
        more = f" and {len(tools) - MAX_TOLD} more" if len(tools) > MAX_TOLD else ""
        instead += f" You have: {', '.join(tools[:MAX_TOLD])}{more}."
    head = (
        f"The call of tool {denied!r} was denied before it ran. Nothing has happened,"
        " and no iteration is used up.\nWhy:\n"
    )
    tail = f"\nWhat to do instead: {instead}"
    return head + plain("\n".join(why), MAX_CHARS - len(head) - len(tail)) + tail


def failed_checks(checks: Sequence[CheckResult]) -> list[str]:
    """Return a line for each check that does not hold."""
    return [f"- {c.check}: {c.message}"[:MAX_LINE] for c in checks if not c.passed]


def objections(decision: Decision) -> list[str]:
    """Return why a policy decided against a call: its reasons, then its feedback; where that is
    empty, what the judges said, lowest score first.
    """
    lines = [f"- {reason.message}"[:MAX_LINE] for reason in decision.reasons]
    size = opening(decision.stages)  # a call is no attempt: what to do instead is said below
    told = [line for line in decision.feedback.splitlines() if line != size]
    return [*lines, *(told or _reasonings(decision))]


def _reasonings(decision: Decision) -> Iterator[str]:
    said = [
        (seat.gradient.score, f"- {seat.judge} ({seat.gradient.score:.2f}): ", seat.gradient)
        for stage in decision.stages
        for seat in (stage.consensus.seats if stage.consensus else ())
        if seat.gradient is not None and seat.gradient.reasoning and not seat.shadow
    ]
    for _, name, gradient in sorted(said, key=lambda entry: entry[0]):
        yield (name + " ".join(gradient.reasoning.split()))[:MAX_LINE]
