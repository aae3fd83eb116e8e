"""A trace kept with the evaluation that it is part of: its tree and its digest are made once."""

from consensus.domain.evaluation import OF_TRACE, Evaluation
from consensus.traces.digest import FULL_TOKENS, Digest, outline, whole
from consensus.traces.spans import Trace

LARGE_SPANS = 200
"""From here on a trace is work for a thread of its own, wherever it comes from."""
_TREE = f"{OF_TRACE}tree"
_LARGE = f"{OF_TRACE}large"


def kept(trace: Trace, *, large: bool) -> dict[str, object]:
    """Return the memo of an evaluation whose submission has this trace. `large`: working on it
    takes so long that it is not done while others wait; what is dearest is done here.
    """
    memo: dict[str, object] = {_TREE: trace, _LARGE: large}
    if large:
        memo[_whole_key(FULL_TOKENS, bare=False)] = whole(trace)
    return memo


def is_large(evaluation: Evaluation) -> bool:
    """Tell whether work on the trace is for a thread of its own."""
    return evaluation.memo.get(_LARGE) is True or len(evaluation.submission.trace) >= LARGE_SPANS


def trace_of(evaluation: Evaluation) -> Trace:
    """Return the tree of the submission's spans. Raises TraceUnusable where it is too deep."""
    found = evaluation.memo.get(_TREE)
    if not isinstance(found, Trace):
        found = evaluation.memo[_TREE] = Trace.of(evaluation.submission.trace)
    return found


def digest_of(
    evaluation: Evaluation, tokens: int, outline_tokens: int, *, bare: bool, tools: bool
) -> Digest:
    """Return the trace in words, whole where that comes to `tokens` (>= 0) at most, else the tree
    alone in `outline_tokens` (>= 1,024). Raises TraceUnusable.
    """
    memo, key = evaluation.memo, _whole_key(tokens, bare=bare)
    if key not in memo:
        memo[key] = whole(trace_of(evaluation), tokens, bare=bare)
    full = memo[key]
    if isinstance(full, str):
        return Digest(full, whole=True)
    key = f"{OF_TRACE}outline:{outline_tokens}:{bare}:{tools}"
    told = memo.get(key)
    if not isinstance(told, str):
        told = outline(trace_of(evaluation), outline_tokens, bare=bare, tools=tools)
        memo[key] = told
    return Digest(told, whole=False)


def _whole_key(tokens: int, *, bare: bool) -> str:
    return f"{OF_TRACE}whole:{tokens}:{bare}"
