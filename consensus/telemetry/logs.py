"""Structured logs: one JSON object a line on stderr, with the trace id and no judged content.

Lines go through a bounded queue to a thread of their own: a slow reader of stderr never holds up
the service; what does not fit is dropped and counted.
"""

import datetime
import json
import logging
import logging.handlers
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import msgspec

from consensus.domain.decision import Decision, SeatResult
from consensus.domain.gradient import Failure
from consensus.domain.ports import SilentObserver
from consensus.telemetry.context import current_trace_id

QUEUE_LINES = 10_000
GATHER_SECONDS = 0.02
_AT_ONCE = 200
"""Lines that are written together at most."""
FLUSH_SECONDS = 2.0
"""At the end, how long to wait for the last line, where the reader of stderr reads no more."""
_AIO_SERVER = "grpc._cython.cygrpc"
_HARMLESS = "Exception not handled by _handle_exceptions"
"""What grpc.aio says of a stream cancelled at the end of the grace."""

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; the rest is what the caller told."""
_ENCODER = msgspec.json.Encoder(enc_hook=str)

log = logging.getLogger("consensus.decisions")


class DecisionLog(SilentObserver):
    """Writes one line for each decision."""

    def decided(self, decision: Decision) -> None:
        """Write the decision's identity, verdict, reasons and seats."""
        if log.isEnabledFor(logging.INFO):
            log.handle(DecisionRecord(decision))


class FailedSeatLog(SilentObserver):
    """Writes a failed seat's kind and reason, at debug."""

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Write one line where the seat has failed."""
        if isinstance(seat.answer, Failure):
            facts = {"stage": stage, "judge": seat.judge, "kind": seat.answer.kind.value}
            log.debug("seat failed", extra=facts | {"reason": seat.answer.reason})


class DecisionRecord(logging.LogRecord):
    """A decision's line. What it tells is worked out where it is written."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(log.name, logging.INFO, "", 0, "decision", None, None)
        self.decision = decision

    def facts(self) -> dict[str, object]:
        """Return the decision's identity, verdict, codes and seats; nothing of what was judged."""
        decision = self.decision
        return {
            "trace_id": getattr(self, "trace_id", None),
            "decision_id": decision.decision_id,
            "policy": decision.policy,
            "policy_revision": decision.policy_revision,
            "verdict": decision.verdict.value,
            "reasons": [reason.code.name for reason in decision.reasons],
            "seats": [
                f"{seat.judge}:{seat.status.value}"
                for stage in decision.stages
                if stage.consensus is not None
                for seat in stage.consensus.seats
            ],
            "depth": decision.hierarchy.depth,
            "duration_ms": round(decision.duration_seconds * 1000, 3),
        }


_Lines = queue.SimpleQueue[logging.LogRecord | None]
"""What is to be written; None ends the writing."""


class _TracedQueue(logging.handlers.QueueHandler):
    """Adds the trace id, which only the logging task knows, and drops what does not fit."""

    def __init__(self, lines: "_Lines", on_drop: Callable[[], None]) -> None:
        super().__init__(lines)
        self._lines = lines
        self._on_drop = on_drop

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        record.trace_id = current_trace_id() or None
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        if self._lines.qsize() < QUEUE_LINES:
            self._lines.put(record)
        else:
            self._on_drop()


class _Json(logging.Formatter):
    """One JSON object a line. Of an exception it tells the type and the place: its text may hold
    judged content or keys.
    """

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.name == "asyncio":  # the lines after the first show what a task raised
            message = message.partition("\n")[0]
        time_said = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        facts: dict[str, object] = {
            "timestamp": time_said.isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": message,
        }
        if isinstance(record, DecisionRecord):
            facts |= record.facts()
        else:
            facts |= {k: v for k, v in record.__dict__.items() if k not in _STANDARD}
        if record.exc_info:
            facts["exc_info"] = self.formatException(record.exc_info)
        try:
            return _ENCODER.encode(facts).decode()
        except UnicodeEncodeError:  # half a character, as in the name of a file, needs an escape
            return json.dumps(facts, default=str, skipkeys=True)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        lines: list[str] = []
        error, seen = ei[1], set[int]()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            lines += [*traceback.format_tb(error.__traceback__), f"{type(error).__name__}\n"]
            error = error.__cause__ or error.__context__
        return "".join(lines)


def _gather_less() -> None:
    """Keep records from looking up what no line shows (the logging HOWTO's section on
    optimization): half of what a line costs the caller.
    """
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None  # noqa: SLF001 - documented there


def _worth_saying(record: logging.LogRecord) -> bool:
    return not (record.name == _AIO_SERVER and _HARMLESS in record.getMessage())


@contextmanager
def structured_logs(
    level: str, on_drop: Callable[[], None], stream: TextIO | None = None
) -> Iterator[None]:
    """Log as JSON while the context lasts. Enter before the event loop starts: configuring logging
    from beside a running gRPC can deadlock.
    """
    _gather_less()
    lines: _Lines = queue.SimpleQueue()
    handler = _TracedQueue(lines, on_drop)
    work = (lines, stream or sys.stderr, on_drop)
    thread = threading.Thread(target=_write, args=work, name="logs", daemon=True)
    thread.start()
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level.upper())
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        lines.put(None)
        thread.join(FLUSH_SECONDS)


def _write(lines: _Lines, stream: TextIO, on_drop: Callable[[], None]) -> None:
    """Write the lines. No logging.Handler: at exit Python would wait for the lock of one that a
    reader holds up.
    """
    formatter = _Json()
    gathered: list[str] = []
    while (record := lines.get()) is not None:
        try:
            if _worth_saying(record):
                gathered.append(formatter.format(record))
        except Exception:  # noqa: BLE001 - a line that cannot be told must not cost the others
            on_drop()
        if lines.empty() or len(gathered) >= _AT_ONCE:
            _flush(gathered, stream, on_drop)
            gathered.clear()
        if lines.empty():  # let lines gather: waking up for each one costs more than writing it
            time.sleep(GATHER_SECONDS)
    _flush(gathered, stream, on_drop)


def _flush(gathered: Sequence[str], stream: TextIO, on_drop: Callable[[], None]) -> None:
    """Write all at once: at each write this thread lets go of the interpreter, and takes it back
    from the service in the middle of something.
    """
    if not gathered:
        return
    try:
        stream.write("\n".join(gathered) + "\n")
        stream.flush()
    except Exception:  # noqa: BLE001 - a line that cannot be written must not cost the others
        if len(gathered) == 1:
            on_drop()
        else:
            for line in gathered:
                _flush([line], stream, on_drop)
