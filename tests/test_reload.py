"""The policy file is reloaded on SIGHUP and on change, and the last good version stays."""

import asyncio
import os
import signal
import threading
from pathlib import Path

import anyio
import pytest

from consensus import bench as bench_module
from consensus.app import App, read_policies
from consensus.config import Settings, load_policies
from consensus.config import reload as reload_module
from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import PolicySet
from consensus.domain.ports import CheckFaults
from consensus.judges.remote import Backends, RemoteJudge
from tests.reloading import GONE, Witness, asking, checking, hang_up, running, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "policy.yaml", checking("first"))


async def test_sighup_puts_a_changed_file_in_force(file: Path) -> None:
    async with running(file) as server:
        before = await server.revisions()
        assert await server.stages() == ["first"]
        write(file, checking("second"))
        assert await server.stages() == ["first"]
        hang_up()
        await server.witness.until("ok")
        assert await server.stages() == ["second"]
        after = await server.revisions()
        assert before != after
        assert server.witness.policies_shown() == after
        assert (await server.decision()).policy_revision == after["default"]


async def test_a_file_that_did_not_change_is_left_alone(file: Path) -> None:
    async with running(file) as server:
        rules = server.app.rules.current
        hang_up()
        await server.witness.until("unchanged")
        assert server.app.rules.current is rules


async def test_a_change_is_noticed_without_a_signal(file: Path) -> None:
    async with running(file, reload_seconds=0.01) as server:
        write(file, checking("second"))
        await server.witness.until("ok")
        assert await server.stages() == ["second"]


async def test_a_change_between_loading_and_serving_is_noticed_too(file: Path) -> None:
    async with running(file, changed=checking("second"), reload_seconds=0.01) as server:
        await server.witness.until("ok")
        assert await server.stages() == ["second"]


async def test_a_fault_between_loading_and_serving_keeps_what_was_loaded(file: Path) -> None:
    async with running(file, changed="policies: 7", reload_seconds=0.01) as server:
        await server.witness.until("error")
        assert await server.stages() == ["first"]


async def test_a_swapped_link_is_noticed_as_a_mounted_config_map_swaps_it(tmp_path: Path) -> None:
    mount = tmp_path / "mount"

    def publish(version: str, text: str) -> None:
        folder = mount / version
        folder.mkdir(parents=True)
        write(folder / "policy.yaml", text)
        link = mount / "..new"
        link.symlink_to(version)
        link.replace(mount / "..data")

    publish("..v1", checking("first"))
    (mount / "policy.yaml").symlink_to("..data/policy.yaml")
    async with running(mount / "policy.yaml", reload_seconds=0.01) as server:
        assert await server.stages() == ["first"]
        publish("..v2", checking("second"))
        await server.witness.until("ok")
        assert await server.stages() == ["second"]


@pytest.mark.parametrize("fault", ["policies: 7", "not: [yaml", "", GONE])
async def test_the_last_good_version_stays_until_the_file_is_mended(file: Path, fault: str) -> None:
    async with running(file) as server:
        before = await server.revisions()
        write(file, fault)
        hang_up()
        await server.witness.until("error")
        assert await server.revisions() == before
        assert server.witness.policies_shown() == before
        assert await server.stages() == ["first"]
        write(file, checking("mended"))
        hang_up()
        await server.witness.until("error", "ok")
        assert await server.stages() == ["mended"]


async def test_a_pipe_in_the_place_of_the_file_holds_up_neither_judging_nor_the_end(
    file: Path,
) -> None:
    async with running(file, reload_seconds=0.01) as server:
        write(file, GONE)
        os.mkfifo(file)
        await server.witness.until("error")
        assert await server.stages() == ["first"]
        hang_up()
        await server.witness.until("error", "unchanged")
    # Leaving the block has stopped the server.


class SlowLoading:
    """Loads policies, and waits at the end while their first stage is called `slow`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = anyio.Event()
        self.go = threading.Event()
        monkeypatch.setattr(reload_module, "load_policies", self.load)

    def load(self, file: Path, check_faults: CheckFaults) -> PolicySet:
        policies = load_policies(file, check_faults)
        if policies.policies["default"].stages[0].name == "slow":
            anyio.from_thread.run_sync(self.begun.set)
            self.go.wait(30)
        return policies


async def test_of_two_reloads_at_once_the_last_content_is_in_force(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(file, reload_seconds=0.01) as server:
        loading = SlowLoading(monkeypatch)
        write(file, checking("slow"))
        await loading.begun.wait()
        write(file, checking("last"))
        hang_up()
        for _ in range(20):  # as long as a reload would take that does not wait for the first
            await anyio.to_thread.run_sync(file.read_bytes)
        loading.go.set()
        await server.witness.until("ok", "ok")
        assert await server.stages() == ["last"]


async def test_a_slow_reload_does_not_hold_up_a_signal_to_stop(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(file) as server:
        loading = SlowLoading(monkeypatch)
        write(file, checking("slow"))
        hang_up()
        await loading.begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        with anyio.fail_after(30):
            while not server.app.admission.draining:
                await anyio.to_thread.run_sync(file.read_bytes)
        loading.go.set()


async def test_a_judge_that_cannot_be_made_keeps_the_last_good_version(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(spec: JudgeSpec, backends: Backends) -> RemoteJudge:
        raise PermissionError(13, "Permission denied", "ca.pem")

    monkeypatch.setattr(bench_module, "RemoteJudge", unreadable)
    async with running(file) as server:
        write(file, asking("127.0.0.1:1", "away"))
        hang_up()
        await server.witness.until("error")
        assert await server.stages() == ["first"]
        write(file, checking("mended"))
        hang_up()
        await server.witness.until("error", "ok")
        assert await server.stages() == ["mended"]


async def test_a_server_on_the_bundled_policy_has_nothing_to_reload(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = App(
        Settings(listen="127.0.0.1:0", metrics="", drain_delay_seconds=0.0),
        read_policies(None),
        witness := Witness(),
    )
    ready = anyio.Event()
    server = asyncio.create_task(app.run(lambda address, metrics: ready.set()))
    await ready.wait()
    hang_up()
    os.kill(os.getpid(), signal.SIGTERM)
    await server
    assert witness.results == []
