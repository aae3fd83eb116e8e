"""Judges within habits: a wrapper answers for a judge, but has neither its price nor its skills."""

from typing import Protocol, runtime_checkable

from consensus.domain.ports import Judge, WaitingJudge


@runtime_checkable
class Habit(Protocol):
    """A judge that asks the judge within."""

    within: WaitingJudge
    most_calls: int
    """Most calls of the judge within for one answer, such as 2 for a retry."""


def bare(judge: Judge) -> tuple[Judge, int]:
    """Return the judge within all habits, and the most calls that one answer may take."""
    found: object = judge
    calls = 1
    while isinstance(found, Habit):
        calls *= found.most_calls
        judge = found = found.within
    return judge, calls
