"""Judges behind gRPC: what a backend says that a judge is, for `check --live`.

Only DescribeJudge is called: a judge may bill for what it judges.
"""

from enum import Enum

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from msgspec import Struct

from consensus.domain.judges import JudgeSpec
from consensus.judges.remote.backend import Backends
from consensus.v1 import judge_pb2

CALL_SECONDS = 10.0
"""Time for one call, with the time to connect."""
MAX_WORDS = 300
"""Characters of what a backend says in one field."""

_SILENT = "it does not describe itself, so it is not known whether it has this judge"


class Standing(Enum):
    """How a judge stands with its backend."""

    DESCRIBED = "described"
    SILENT = "silent"
    """The backend was reached and does not describe its judges."""
    ABSENT = "absent"
    """The backend was reached and has no such judge."""
    FAILED = "failed"
    """The backend was reached and answered something else."""
    UNREACHED = "unreached"


class Description(Struct, frozen=True, kw_only=True):
    """What became of asking for one judge.

    Every text but `trouble` and `remedy` is the backend's own, cut but not made plain.
    """

    spec: JudgeSpec
    standing: Standing
    judge: str = ""
    kind: str = ""
    description: str = ""
    revision: str = ""
    trouble: str = ""
    """What happened instead of an answer; empty where it is described."""
    remedy: str = ""
    """What to do about a trouble that is a fault."""
    words: str = ""
    """The text of a status other than OK: gRPC's, where the backend was not reached."""


async def describe(
    spec: JudgeSpec, backends: Backends | None = None, call_seconds: float = CALL_SECONDS
) -> Description:
    """Ask the backend of `spec`, connected to as its judge is, what the judge is.

    Takes `call_seconds` at most; never raises for what a backend does. Must run inside the event
    loop.
    """
    try:
        backend = (backends or Backends()).join(spec)
    except OSError as error:
        trouble = f"a file of its `tls` cannot be used: {error.strerror or type(error).__name__}"
        remedy = "see that all files of `tls` are readable PEM"
        return Description(spec=spec, standing=Standing.UNREACHED, trouble=trouble, remedy=remedy)
    request = judge_pb2.DescribeJudgeRequest(judge=spec.remote_judge).SerializeToString()
    try:
        return _described(spec, await backend.describe(request, call_seconds))
    except grpc.aio.AioRpcError as error:
        return _refused(spec, error, call_seconds)
    except DecodeError:
        trouble, remedy = "its reply is not the contract's", "see which contract it was built with"
        return Description(spec=spec, standing=Standing.FAILED, trouble=trouble, remedy=remedy)
    finally:
        await backend.leave(0)


def _described(spec: JudgeSpec, reply: bytes) -> Description:
    """Return what an encoded reply says. Raises DecodeError."""
    told = judge_pb2.DescribeJudgeResponse.FromString(reply)
    return Description(
        spec=spec,
        standing=Standing.DESCRIBED,
        judge=_cut(told.judge),
        kind=_cut(told.kind),
        description=_cut(told.description),
        revision=_cut(told.revision),
    )


def _refused(spec: JudgeSpec, error: grpc.aio.AioRpcError, seconds: float) -> Description:
    """Return what a status other than OK means."""
    code, words = error.code(), _cut(error.details() or "")
    remedy = "its own log may say why"
    match code:
        case grpc.StatusCode.UNIMPLEMENTED:
            standing, trouble, remedy, words = Standing.SILENT, _SILENT, "", ""
        case grpc.StatusCode.NOT_FOUND | grpc.StatusCode.INVALID_ARGUMENT:
            # A request to describe a judge holds its name alone: that is what can be invalid.
            wanted = f"no judge {spec.remote_judge!r}" if spec.remote_judge else "no default judge"
            standing, trouble = Standing.ABSENT, f"it has {wanted}"
            remedy = "set `judge` to one that it has"
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            standing, trouble = Standing.UNREACHED, f"it did not answer within {seconds:g} s"
            words, remedy = "", _where_to_look(spec)
        case grpc.StatusCode.UNAVAILABLE:
            standing, trouble = Standing.UNREACHED, "it cannot be reached"
            remedy = _where_to_look(spec)
        case _:
            standing, trouble = Standing.FAILED, f"it answered {code.name}"
    return Description(spec=spec, standing=standing, trouble=trouble, remedy=remedy, words=words)


def _where_to_look(spec: JudgeSpec) -> str:
    things = ["it runs", "`target` is right"]
    things += ["`tls` fits its certificate" if spec.tls else "it wants no `tls`"]
    things += ["its health service says SERVING"] if spec.health_check else []
    return f"see that {', '.join(things[:-1])} and {things[-1]}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 1]}…"
