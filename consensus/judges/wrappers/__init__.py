"""Habits that stand between a panel and a judge that waits: one each, on the judge's own socket."""

from consensus.judges.wrappers.compose import compose
from consensus.judges.wrappers.observer import UNOBSERVED, HabitObserver

__all__ = ["UNOBSERVED", "HabitObserver", "compose"]
