"""Both flavours of the client behind one blocking face, and the real server as a process."""

import asyncio
import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from consensus_client import (
    AsyncConsensusClient,
    ConsensusClient,
    ConsensusError,
    Decision,
    Event,
    JudgeRequest,
    JudgeToolCallRequest,
    JudgeToolCallResponse,
    PolicySummary,
    ServingStatus,
    Submission,
    submission,
)
from hypothesis import HealthCheck, settings

# Other work on the machine breaks no law.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


class Client(Protocol):
    """What both flavours can do, without a loop in sight."""

    def judge(self, submission: Submission, **more: Any) -> Decision: ...
    def stream_judge(self, submission: Submission, **more: Any) -> Iterator[Event]: ...
    def batch_judge(
        self, requests: Iterable[JudgeRequest], **more: Any
    ) -> list[Decision | ConsensusError]: ...
    def judge_tool_call(
        self, request: JudgeToolCallRequest, **more: Any
    ) -> JudgeToolCallResponse: ...
    def list_policies(self, **more: Any) -> list[PolicySummary]: ...
    def health(self, *service: str, **more: Any) -> ServingStatus: ...
    def close(self) -> None: ...


Connect = Callable[..., Client]


class Blocking:
    """The client for asyncio, driven from outside its loop."""

    def __init__(self, runner: asyncio.Runner, *args: Any, **more: Any) -> None:
        async def make() -> AsyncConsensusClient:
            return AsyncConsensusClient(*args, **more)

        self._run = runner.run
        self._client = self._run(make())

    def judge(self, submission: Submission, **more: Any) -> Decision:
        return self._run(self._client.judge(submission, **more))

    def stream_judge(self, submission: Submission, **more: Any) -> Iterator[Event]:
        events = self._client.stream_judge(submission, **more)
        with contextlib.suppress(StopAsyncIteration):
            try:
                while True:
                    yield self._run(anext(events))  # type: ignore[arg-type]
            finally:
                self._run(events.aclose())  # type: ignore[arg-type]

    def batch_judge(
        self, requests: Iterable[JudgeRequest], **more: Any
    ) -> list[Decision | ConsensusError]:
        return self._run(self._client.batch_judge(requests, **more))

    def judge_tool_call(self, request: JudgeToolCallRequest, **more: Any) -> JudgeToolCallResponse:
        return self._run(self._client.judge_tool_call(request, **more))

    def list_policies(self, **more: Any) -> list[PolicySummary]:
        return self._run(self._client.list_policies(**more))

    def health(self, *service: str, **more: Any) -> ServingStatus:
        return self._run(self._client.health(*service, **more))

    def close(self) -> None:
        self._run(self._client.close())


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Make clients of either flavour; closes them."""
    with asyncio.Runner() as runner, contextlib.ExitStack() as clients:

        def make(*args: Any, **more: Any) -> Client:
            client: Client = (
                ConsensusClient(*args, **more)
                if request.param == "blocking"
                else Blocking(runner, *args, **more)
            )
            clients.callback(client.close)
            return client

        yield make


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the only loop that gRPC knows."""
    return "asyncio"


@contextlib.contextmanager
def serving(*options: str) -> Iterator[str]:
    """Run the real server; gives its target. Skips the test where it is not installed."""
    if importlib.util.find_spec("consensus.app") is None:
        pytest.skip("the server, consensus-service, is not installed")
    command = [sys.executable, "-m", "consensus", "serve", "--listen", "127.0.0.1:0"]
    command += ["--metrics", "", "--drain-delay-seconds", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield next(target for line in process.stderr if (target := _address(line)))
        finally:
            # So that the server never waits for somebody to read its log.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            process.terminate()
            process.wait(20)


def _address(line: str) -> str:
    record = json.loads(line) if line.startswith("{") else {}
    return str(record["address"]) if record.get("message") == "serving" else ""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The target of a real server with its bundled policy."""
    with serving() as target:
        yield target


@pytest.fixture
def serve() -> Callable[..., contextlib.AbstractContextManager[str]]:
    """Run a real server of one's own, with options."""
    return serving


@pytest.fixture
def essay() -> Submission:
    """A submission that fakes accept; policies that need a rubric refuse it."""
    return submission("Name the capital of France.", "Paris.")


@pytest.fixture(scope="session")
def project() -> Path:
    """The client's directory."""
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def examples(project: Path) -> list[str]:
    """The README's examples, in order."""
    return re.findall(r"```python\n(.*?)```", (project / "README.md").read_text(), re.DOTALL)
