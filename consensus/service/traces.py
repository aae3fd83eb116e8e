"""Reads the trace of a submission: at once where it is small, else in a thread, a few at a time."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from consensus.domain.errors import InvalidRequest, TraceUnusable, Violation
from consensus.domain.submission import Submission
from consensus.domain.trace import TraceLimits
from consensus.service.deadline import Countdown
from consensus.traces import Trace, kept
from consensus.v1 import submission_pb2 as pb
from consensus.wire.submission import trace_from

LIMITS = TraceLimits(bytes=4 << 20)
LARGE_BYTES = 16 << 10
"""Up to here a trace is read in some 3 ms, and nobody notices."""
THREADS = 2
"""More would take the processor from the event loop, which has to share it with each."""


class TraceReader:
    """Reads traces for all calls of one server."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "traces")  # no more, whoever stops waiting

    async def traced(
        self,
        submission: Submission,
        memo: Mapping[str, object],
        message: pb.Trace,
        budget_seconds: float,
        path: str,
    ) -> tuple[Submission, dict[str, object], float]:
        """Return the submission with the spans of `message`, each once and by start, its memo, and
        what is left of the budget. `path` is the message's field.

        Raises InvalidRequest where the trace cannot be read or is larger than LIMITS, BudgetSpent.
        """
        kind = message.WhichOneof("kind")
        if kind is None:
            words = "is empty; must have one of otlp_protobuf and otlp_json"
            raise InvalidRequest([Violation(path, words)])
        left = Countdown(budget_seconds)
        large = message.ByteSize() > LARGE_BYTES
        try:
            if large:
                run = asyncio.get_running_loop().run_in_executor
                trace, of_trace = await run(self._threads, _read, message, large)
            else:
                trace, of_trace = _read(message, large)
        except TraceUnusable as error:
            raise InvalidRequest([Violation(f"{path}.{kind}", str(error))]) from None
        return replace(submission, trace=trace.spans), {**memo, **of_trace}, left.left()


def _read(message: pb.Trace, large: bool) -> tuple[Trace, dict[str, object]]:
    trace = Trace.of(trace_from(message, LIMITS), LIMITS)
    return trace, kept(trace, large=large)
