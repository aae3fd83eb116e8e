"""What a reload does to judges that are models: their connections, and their prompts in files."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from consensus_client.testing import FakeLlm, llm_reply

from consensus import bench as bench_module
from consensus.app import read_policies
from consensus.domain.errors import PolicyFileError
from consensus.v1 import decision_pb2
from tests.reloading import hang_up, running, write

GOOD = llm_reply(
    json.dumps({"reasoning": "It does.", "abstain": False, "score": 0.9, "confidence": 0.8})
)
FIELDS = "$reply\n=== user ===\n$nonce $rubric $task $messages $candidate $ask\n"


def models(base_url: str, *names: str, concurrency: int = 8, template: str = "") -> str:
    """Return a policy file whose panel seats these models, all at one server."""
    judge = {"kind": "llm", "backend": "local", "model": "small"}
    judge |= {"template_file": template} if template else {}
    backend = {"kind": "openai_chat", "base_url": base_url, "concurrency": concurrency}
    panel = {"seats": [{"judge": name} for name in names]}
    stages = [{"name": "models", "panel": panel, "on_no_quorum": "escalate"}]
    return json.dumps(
        {
            "backends": {"local": backend},
            "judges": dict.fromkeys(names, judge),
            "policies": {"default": {"stages": stages}},
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


def scored(decision: decision_pb2.Decision) -> list[str]:
    (stage,) = decision.stages
    scored = decision_pb2.SEAT_STATUS_SCORED
    return [s.judge for s in stage.consensus.individual_results if s.status == scored]


@pytest.mark.usefixtures("unhurried")
async def test_a_model_server_that_stays_as_it_is_keeps_its_connections(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retired = anyio.Event()
    retire = bench_module.Bench.close

    async def close(self: bench_module.Bench, grace_seconds: float) -> None:
        await retire(self, grace_seconds)
        retired.set()

    monkeypatch.setattr(bench_module.Bench, "close", close)
    with FakeLlm(GOOD) as fake:
        write(file, models(fake.base_url, "a", "b"))
        async with running(file, max_deadline_seconds=0.05) as server:
            assert scored(await server.decision()) == ["a", "b"]
            taken = fake.connection_count
            write(file, models(fake.base_url, "a", "c"))
            hang_up()
            await server.witness.until("ok")
            with anyio.fail_after(30):
                await retired.wait()
            assert scored(await server.decision()) == ["a", "c"]
            assert fake.connection_count == taken


async def test_a_model_server_that_changes_is_connected_anew(file: Path) -> None:
    with FakeLlm(GOOD) as fake:
        write(file, models(fake.base_url, "a"))
        async with running(file) as server:
            before = server.app.rules.current.judges["a"]
            write(file, models(fake.base_url, "a", concurrency=2))
            hang_up()
            await server.witness.until("ok")
            assert server.app.rules.current.judges["a"] is not before
            assert scored(await server.decision()) == ["a"]


async def test_an_edited_prompt_template_is_noticed_though_the_policy_file_stays(
    file: Path,
) -> None:
    template = file.with_name("expert.txt")
    write(template, f"Judge. {FIELDS}")
    with FakeLlm(GOOD) as fake:
        write(file, models(fake.base_url, "a", template=template.name))
        async with running(file, reload_seconds=0.01) as server:
            before = await server.revisions()
            write(template, f"Judge harshly. {FIELDS}")
            await server.witness.until("ok")
            assert await server.revisions() != before
            await server.decision()
    assert "Judge harshly." in json.dumps(fake.calls[-1].body)


async def test_a_template_that_was_refused_is_taken_once_it_is_mended(file: Path) -> None:
    template = file.with_name("expert.txt")
    with FakeLlm(GOOD) as fake:
        write(file, models(fake.base_url, "a"))
        async with running(file, reload_seconds=0.01) as server:
            write(template, "No field at all.")
            write(file, models(fake.base_url, "a", template=template.name))
            await server.witness.until("error")
            write(template, f"Judge. {FIELDS}")
            await server.witness.until("error", "ok")
            assert scored(await server.decision()) == ["a"]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["a pipe", "a folder"])
async def test_what_is_no_file_in_the_place_of_a_template_holds_up_no_reload(
    file: Path, make: Callable[[Path], None]
) -> None:
    template = file.with_name("expert.txt")
    make(template)
    with FakeLlm(GOOD) as fake:
        write(file, models(fake.base_url, "a"))
        async with running(file, reload_seconds=0.01) as server:
            write(file, models(fake.base_url, "a", template=template.name))
            await server.witness.until("error")
            write(file.with_name("sound.txt"), f"Judge. {FIELDS}")
            write(file, models(fake.base_url, "a", template="sound.txt"))
            await server.witness.until("error", "ok")
            assert scored(await server.decision()) == ["a"]


def test_a_template_is_not_read_beyond_a_megabyte(file: Path) -> None:
    write(file.with_name("expert.txt"), "x" * (1 << 20) + FIELDS)
    write(file, models("http://127.0.0.1:1", "a", template="expert.txt"))
    with pytest.raises(PolicyFileError) as refused:
        read_policies(file)
    assert "template_file: has more than 1048576 bytes" in refused.value.lines()[0]
