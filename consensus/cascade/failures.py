"""What a judge raised: whether it is the judge's own, how it stands on record, and what it must not
keep.
"""

import asyncio

from consensus.cascade.admission import plain
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Failure, FailureKind

MAX_REASON = 300


def cancelled() -> bool:
    """Tell whether someone cancelled this task; else the CancelledError is the judge's own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def failure_of(error: BaseException) -> Failure:
    """Return what a judge raised as it may stand on record. The error loses its frames."""
    _let_go(error)
    if isinstance(error, JudgeFailed):
        return Failure(error.kind, plain(error.reason, MAX_REASON))
    # The text of a foreign error may hold judged content or keys.
    return Failure(FailureKind.ERROR, f"crashed with {type(error).__name__}")


def _let_go(error: BaseException | None) -> None:
    """Take their frames from an error and its causes. Frames hold the submission and often, by way
    of a future, the error itself: a knot that stays until Python looks for garbage.
    """
    while error is not None:
        cause = error.__cause__ or error.__context__
        error.__traceback__ = error.__cause__ = error.__context__ = None
        error = cause
