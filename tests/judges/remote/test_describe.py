"""What a backend says that a judge is, asked without anything to judge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2

from consensus.domain.judges import JudgeSpec
from consensus.judges.remote import Backends
from consensus.judges.remote.describe import MAX_WORDS, Standing, describe
from consensus.v1 import judge_pb2
from tests.judges.backend import Context
from tests.judges.remote.desk import SERVICE, listening
from tests.service.running import policy, rules, serving

Script = Callable[[judge_pb2.DescribeJudgeRequest, Context], Awaitable[bytes]]


def answering(**fields: str) -> Script:
    """Return the script that describes every judge alike, by its own name."""

    async def script(request: judge_pb2.DescribeJudgeRequest, context: Context) -> bytes:
        told = {"judge": request.judge} | fields
        return judge_pb2.DescribeJudgeResponse(**told).SerializeToString()

    return script


def refusing(code: grpc.StatusCode, details: str = "") -> Script:
    async def script(request: judge_pb2.DescribeJudgeRequest, context: Context) -> bytes:
        await context.abort(code, details)

    return script


async def garbage(request: judge_pb2.DescribeJudgeRequest, context: Context) -> bytes:
    return b"\xff\xff"


async def hang(request: judge_pb2.DescribeJudgeRequest, context: Context) -> bytes:
    await anyio.sleep_forever()
    raise AssertionError


async def sick(request: bytes, context: Context) -> AsyncIterator[bytes]:
    """Answer a watcher of the health service."""
    status = health_pb2.HealthCheckResponse.NOT_SERVING
    yield health_pb2.HealthCheckResponse(status=status).SerializeToString()
    await anyio.sleep_forever()


class Backend:
    """Serves DescribeJudge by a script, whatever else is asked not, and keeps who asked."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.target = ""
        self.callers: list[str] = []

    async def describe_judge(self, request: bytes, context: Context) -> bytes:
        self.callers.append(context.peer())
        return await self._script(judge_pb2.DescribeJudgeRequest.FromString(request), context)


@asynccontextmanager
async def backend(script: Script) -> AsyncIterator[Backend]:
    """Serve while the context lasts; the health service says NOT_SERVING."""
    one = Backend(script)
    describing: Any = grpc.unary_unary_rpc_method_handler(one.describe_judge)  # type: ignore[arg-type]
    watching: Any = grpc.unary_stream_rpc_method_handler(sick)  # type: ignore[arg-type]
    services = {
        SERVICE: {"DescribeJudge": describing},
        "grpc.health.v1.Health": {"Watch": watching},
    }
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    for name, methods in services.items():
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))
    async with listening(server) as one.target:
        yield one


def judge(target: str, remote_judge: str = "", **spec: Any) -> JudgeSpec:
    return JudgeSpec(name="j", kind="remote", target=target, remote_judge=remote_judge, **spec)


async def test_a_judge_is_what_its_backend_says_that_it_is() -> None:
    told = {"kind": "rules", "description": "Looks at numbers.", "revision": "7"}
    async with backend(answering(**told)) as one:
        found = await describe(judge(one.target, "numbers"))
    assert (found.standing, found.trouble, found.words) == (Standing.DESCRIBED, "", "")
    assert found.judge == "numbers"
    assert {name: getattr(found, name) for name in told} == told


async def test_judges_of_one_backend_share_its_connection() -> None:
    backends = Backends()
    async with backend(answering()) as one, anyio.create_task_group() as group:
        for name in "abc":
            group.start_soon(describe, judge(one.target, name), backends)
    assert len(one.callers) == 3
    assert len(set(one.callers)) == 1


async def test_long_texts_are_cut() -> None:
    long = "x" * (MAX_WORDS + 1)
    async with backend(answering(description=long, kind=long[1:])) as one:
        found = await describe(judge(one.target))
    assert found.description == "x" * (MAX_WORDS - 1) + "…"
    assert found.kind == "x" * MAX_WORDS
    async with backend(refusing(grpc.StatusCode.INTERNAL, long)) as one:
        assert len((await describe(judge(one.target))).words) == MAX_WORDS


async def test_a_backend_that_describes_nothing_is_reached_all_the_same() -> None:
    async with backend(refusing(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")) as one:
        found = await describe(judge(one.target))
    assert (found.standing, found.words, found.remedy) == (Standing.SILENT, "", "")
    assert "does not describe itself" in found.trouble


@pytest.mark.parametrize(
    ("name", "trouble"),
    [("numbers", "it has no judge 'numbers'"), ("", "it has no default judge")],
)
async def test_a_judge_that_nobody_knows_is_absent(name: str, trouble: str) -> None:
    async with backend(refusing(grpc.StatusCode.NOT_FOUND, "who?")) as one:
        found = await describe(judge(one.target, name))
    assert (found.standing, found.trouble) == (Standing.ABSENT, trouble)
    assert (found.words, found.remedy) == ("who?", "set `judge` to one that it has")


async def test_policies_of_a_consensus_server_are_described_or_absent() -> None:
    async with serving(rules(strict=policy("checks"))) as server:
        found = await describe(judge(server.address, "strict"))
        default = await describe(judge(server.address))
        absent = await describe(judge(server.address, "lenient"))
    assert (found.judge, found.kind) == ("strict", "policy")
    assert found.revision.startswith("sha256:")
    assert default.judge == "strict"
    assert (absent.standing, absent.trouble) == (Standing.ABSENT, "it has no judge 'lenient'")
    assert "must be one of strict" in absent.words


async def test_any_other_status_is_a_failure_of_the_backend() -> None:
    async with backend(refusing(grpc.StatusCode.PERMISSION_DENIED, "not you")) as one:
        found = await describe(judge(one.target))
    assert (found.standing, found.words) == (Standing.FAILED, "not you")
    assert found.trouble == "it answered PERMISSION_DENIED"


async def test_a_reply_that_is_not_the_contracts_is_a_failure_of_the_backend() -> None:
    async with backend(garbage) as one:
        found = await describe(judge(one.target))
    assert (found.standing, found.trouble) == (Standing.FAILED, "its reply is not the contract's")


async def test_a_backend_that_does_not_answer_in_time_is_not_reached() -> None:
    async with backend(hang) as one:
        found = await describe(judge(one.target), call_seconds=0.05)
    assert found.standing is Standing.UNREACHED
    assert (found.trouble, found.words) == ("it did not answer within 0.05 s", "")


async def test_where_nobody_listens_the_advice_is_where_to_look(tmp_path: Path) -> None:
    nowhere = f"unix:{tmp_path}/none.sock"
    found = await describe(judge(nowhere))
    assert (found.standing, found.trouble) == (Standing.UNREACHED, "it cannot be reached")
    assert found.words
    assert found.remedy == "see that it runs, `target` is right and it wants no `tls`"
    assert "`tls` fits" in (await describe(judge(nowhere, tls=True))).remedy


async def test_a_replica_that_is_not_serving_is_left_out_as_its_judge_would() -> None:
    async with backend(answering()) as one:
        assert (await describe(judge(one.target))).standing is Standing.DESCRIBED
        found = await describe(judge(one.target, health_check=True))
    assert found.standing is Standing.UNREACHED
    assert found.remedy.endswith(", it wants no `tls` and its health service says SERVING")


async def test_files_of_tls_that_have_gone_are_told_of(tmp_path: Path) -> None:
    gone = judge("127.0.0.1:1", tls=True, tls_ca_file=str(tmp_path / "gone.pem"))
    found = await describe(gone)
    assert found.standing is Standing.UNREACHED
    assert found.trouble == "a file of its `tls` cannot be used: No such file or directory"
    assert found.remedy == "see that all files of `tls` are readable PEM"
