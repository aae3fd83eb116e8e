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
from consensus.service.calls import Context, Handler, Layer, Method, facts_of, stray_cancellation
from consensus.telemetry.context import begin_trace

_Refusal = tuple[grpc.StatusCode, str, tuple[tuple[str, str | bytes], ...]]
"""Code, message and trailers."""

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

    def unmapped(what: str, error: BaseException) -> _Refusal:
        log.error(what, extra={"method": method.name, **facts_of(error)})
        trailers = tuple(status.internal_trailers())
        return grpc.StatusCode.INTERNAL, status.INTERNAL_MESSAGE, trailers

    async def mapped(request: Any, context: Context) -> Any:
        try:
            return await handler(request, context)
        except errors.RequestError as error:
            code = status.TABLE[type(error)].code
            refusal = code, status.message(error), tuple(status.trailers(error))
        except grpc.aio.AbortError:
            raise
        except asyncio.CancelledError as error:
            if not stray_cancellation():
                raise
            refusal = unmapped("stray cancellation", error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets a status
            refusal = unmapped("unhandled error", error)
        # What abort raises keeps this frame, and the error that is being handled, until Python
        # looks for garbage: neither may hold the request.
        del request
        return await context.abort(*refusal)

    return mapped


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
    if stray_cancellation():
        return grpc.StatusCode.INTERNAL
    left = context.time_remaining()
    if left is not None and left <= 0:
        return grpc.StatusCode.DEADLINE_EXCEEDED
    return grpc.StatusCode.CANCELLED


def tracing_layer(method: Method, handler: Handler) -> Handler:
    """Set the trace id for logs, from the caller's `traceparent` or anew. Every call is a task of
    its own; the id outlasts this layer because the errors are logged outside of it.
    """

    async def traced(request: Any, context: Context) -> Any:
        metadata = context.invocation_metadata() or ()
        parent = next((value for key, value in metadata if key == "traceparent"), "")
        begin_trace(parent if isinstance(parent, str) else "")
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
