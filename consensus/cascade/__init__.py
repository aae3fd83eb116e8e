"""THE ORDER OF WORK: stages in order, judges in parallel, all within a budget."""

from consensus.cascade.engine import Engine

__all__ = ["Engine"]
