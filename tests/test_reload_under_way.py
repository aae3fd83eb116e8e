"""A reload swaps policies and judges as one, and takes nothing from requests under way."""

import asyncio
from pathlib import Path

import anyio
import pytest

from consensus import bench as bench_module
from consensus.domain.judges import JudgeSpec
from consensus.judges.remote import Backends, RemoteJudge
from consensus.v1 import decision_pb2, judge_pb2
from consensus.wire.gradient import answer_to
from tests.builders import scores
from tests.judges.backend import Context, Reply, always, serving
from tests.reloading import asking, checking, hang_up, running, write

GOOD = answer_to(scores(0.9))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


async def test_a_request_under_way_keeps_its_policy_and_its_judges_to_the_end(file: Path) -> None:
    go = anyio.Event()

    async def when_told(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        await go.wait()
        return GOOD

    async with serving(when_told) as backend:
        write(file, asking(backend.target, "first", "second"))
        async with running(file) as server:
            old = (await server.revisions())["default"]
            under_way = asyncio.create_task(server.decision())
            await backend.asked.wait()
            write(file, checking("new"))
            hang_up()
            await server.witness.until("ok")
            assert await server.stages() == ["new"]
            go.set()
            decision = await under_way
    assert decision.policy_revision == old
    assert [stage.stage for stage in decision.stages] == ["first", "second"]
    assert decision.verdict == decision_pb2.VERDICT_ACCEPT
    assert [request.judge for request in backend.requests] == ["first", "second"]


async def test_every_request_is_judged_by_one_version_while_reloads_go_on(file: Path) -> None:
    async with serving(always(GOOD)) as backend:
        versions = [asking(backend.target, "a"), checking("b"), asking(backend.target, "c", "d")]
        write(file, versions[0])
        async with running(file) as server:
            stages = {(await server.revisions())["default"]: ["a"]}
            results: list[str] = []
            for version, names in [(1, ["b"]), (2, ["c", "d"]), (0, ["a"])] * 3:
                early = [asyncio.create_task(server.decision()) for _ in range(5)]
                write(file, versions[version])
                hang_up()
                late = [asyncio.create_task(server.decision()) for _ in range(5)]
                results.append("ok")
                await server.witness.until(*results)
                stages[(await server.revisions())["default"]] = names
                for decision in await asyncio.gather(*early, *late):
                    ran = [stage.stage for stage in decision.stages]
                    assert ran == stages[decision.policy_revision]
                    assert decision.verdict == decision_pb2.VERDICT_ACCEPT
    assert len(stages) == 3


class Closing(RemoteJudge):
    """A remote judge that tells when it is closed."""

    made: list["Closing"]

    def __init__(self, spec: JudgeSpec, backends: Backends) -> None:
        super().__init__(spec, backends)
        self.closed = anyio.Event()
        self.made.append(self)

    async def close(self, grace_seconds: float) -> None:
        await super().close(grace_seconds)
        self.closed.set()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Closing]:
    Closing.made = []
    monkeypatch.setattr(bench_module, "RemoteJudge", Closing)
    return Closing.made


async def test_old_judges_are_closed_once_no_request_can_be_asking_them(
    file: Path, made: list[Closing]
) -> None:
    async with serving(always(GOOD)) as backend:
        write(file, asking(backend.target, "a"))
        async with running(file, max_deadline_seconds=0.2) as server:
            write(file, asking(backend.target, "b", "c"))
            hang_up()
            await server.witness.until("ok")
            with anyio.fail_after(30):
                await made[0].closed.wait()
            assert [judge.closed.is_set() for judge in made[1:]] == [False, False]
    assert [judge.name for judge in made] == ["a", "b", "c"]
    assert all(judge.closed.is_set() for judge in made)


@pytest.mark.usefixtures("unhurried")
async def test_judges_that_stay_as_they_are_keep_their_connections_and_habits(
    file: Path, made: list[Closing]
) -> None:
    async with serving(always(GOOD)) as backend:
        write(file, asking(backend.target, "a", "b"))
        async with running(file, max_deadline_seconds=0.05) as server:
            kept = server.app.rules.current.judges["a"]
            write(file, asking(backend.target, "a", "c"))
            hang_up()
            await server.witness.until("ok")
            assert server.app.rules.current.judges["a"] is kept
            with anyio.fail_after(30):
                await made[1].closed.wait()  # b, which nobody seats any more
            decision = await server.decision()
            assert decision.verdict == decision_pb2.VERDICT_ACCEPT
            assert not made[0].closed.is_set()
    assert [judge.name for judge in made] == ["a", "b", "c"]
    assert all(judge.closed.is_set() for judge in made)


async def test_stopping_the_server_closes_old_and_new_judges(
    file: Path, made: list[Closing]
) -> None:
    write(file, asking("127.0.0.1:1", "a"))
    async with running(file) as server:
        write(file, asking("127.0.0.1:1", "b"))
        hang_up()
        await server.witness.until("ok")
        assert [judge.closed.is_set() for judge in made] == [False, False]
    assert [judge.closed.is_set() for judge in made] == [True, True]
