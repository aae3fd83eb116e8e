"""The layers of the door, outermost first: errors, metrics, trace context, admission.

Authentication and authorisation will stand between trace context and admission.
"""

import asyncio
import logging
import time
from typing import Any, Protocol

import grpc
import grpc.aio

from consensus.domain import errors
from consensus.service import status
from consensus.service.admission import Admission
from consensus.service.calls import Context, Handler, Layer, Method
from consensus.telemetry.context import tracing

log = logging.getLogger(__name__)


class CallObserver(Protocol):
    """Counts calls."""

    def call_started(self, kind: str, service: str, method: str) -> None:
        """A call came in."""
        ...

    def call_handled(self, kind: str, service: str, method: str, code: str, seconds: float) -> None:
        """A call has ended."""
        ...


def errors_layer(method: Method, handler: Handler) -> Handler:
    """Map every error to a status; nothing unmapped leaves the process.

    A CancelledError that nobody asked for would leave the caller without any status.
    """

    async def mapped(request: Any, context: Context) -> Any:
        try:
            return await handler(request, context)
        except errors.RequestError as error:
            code = status.TABLE[type(error)].code
            await context.abort(code, status.message(error), tuple(status.trailers(error)))
        except grpc.aio.AbortError:
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            log.exception("stray cancellation", extra={"method": method.name})
            await _internal(context)
        except Exception as error:  # noqa: BLE001 - its text may hold judged content or keys
            place = _place(error)
            log.error(  # noqa: TRY400 - a traceback prints the text
                "unhandled error",
                extra={"method": method.name, "error": type(error).__name__, "place": place},
            )
            await _internal(context)

    return mapped


async def _internal(context: Context) -> None:
    trailer = ((status.REASON_KEY, status.INTERNAL_REASON),)
    await context.abort(grpc.StatusCode.INTERNAL, status.INTERNAL_MESSAGE, trailer)


def _place(error: BaseException) -> str:
    """Return where an error was raised, without its text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else "unknown"


def metrics_layer(observer: CallObserver) -> Layer:
    """Count calls with the status that they end with."""

    def layer(method: Method, handler: Handler) -> Handler:
        labels = (method.kind, method.service, method.name)

        async def counted(request: Any, context: Context) -> Any:
            began, code = time.perf_counter(), grpc.StatusCode.OK
            observer.call_started(*labels)
            try:
                return await handler(request, context)
            except asyncio.CancelledError:
                code = cancelled_code(context)
                raise
            except BaseException as error:
                code = status.code_of(error, context)
                raise
            finally:
                observer.call_handled(*labels, code.name, time.perf_counter() - began)

        return counted

    return layer


def cancelled_code(context: Context) -> grpc.StatusCode:
    """Tell a deadline from a caller's cancellation; at that moment only the clock knows."""
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        return grpc.StatusCode.INTERNAL
    left = context.time_remaining()
    if left is not None and left <= 0:
        return grpc.StatusCode.DEADLINE_EXCEEDED
    return grpc.StatusCode.CANCELLED


def tracing_layer(method: Method, handler: Handler) -> Handler:
    """Set the trace id for logs, from the caller's `traceparent` or anew."""

    async def traced(request: Any, context: Context) -> Any:
        metadata = context.invocation_metadata() or ()
        parent = next((value for key, value in metadata if key == "traceparent"), "")
        with tracing(parent if isinstance(parent, str) else ""):
            return await handler(request, context)

    return traced


def admission_layer(admission: Admission) -> Layer:
    """Bound the judgments under way. Health and reflection are exempt: a busy server is alive."""

    def layer(method: Method, handler: Handler) -> Handler:
        if not method.judges:
            return handler

        async def admitted(request: Any, context: Context) -> Any:
            with admission.enter():
                return await handler(request, context)

        return admitted

    return layer
