"""The bench of a policy file: what becomes of its judges where one of them cannot be made."""

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from consensus_client.testing import FakeLlm

from consensus import bench as bench_module
from consensus.app import SystemClock
from consensus.bench import Bench
from consensus.cascade import Engine
from consensus.config.load import parse_policies
from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import PolicySet
from consensus.judges.llm import backends
from consensus.validators import check_faults
from tests.builders import Waiting, scores

CLOCK = SystemClock()


class Made(Waiting):
    """A judge that knows whether it was closed; one named `broken` cannot be made."""

    every: ClassVar[dict[str, list["Made"]]] = {}

    def __init__(self, spec: JudgeSpec, *_: object) -> None:
        if spec.name == "broken":
            raise OSError("no certificate")
        super().__init__(spec.name, 0.0, scores(0.9))
        self.every.setdefault(spec.name, []).append(self)


def seating(*names: str, model: str = "", concurrency: int = 1) -> PolicySet:
    """Return a policy file that seats these judges, and a model of a server at `model`."""
    judges: dict[str, Any] = {name: {"kind": "remote", "target": "x:1"} for name in names}
    judges["model"] = {"kind": "llm", "backend": "local", "model": "small"}
    seats = [{"judge": name} for name in ("model", *names)]
    local = {"kind": "openai_chat", "base_url": model, "concurrency": concurrency}
    stage = {"name": "all", "panel": {"seats": seats}, "on_no_quorum": "escalate"}
    content = {
        "backends": {"local": local},
        "judges": judges,
        "policies": {"default": {"stages": [stage]}},
    }
    return parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)


async def test_what_a_bench_made_before_it_failed_is_closed_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[object] = []
    close = backends.HttpBackend.close

    async def spy(backend: backends.HttpBackend) -> None:
        closed.append(backend)
        await close(backend)

    monkeypatch.setattr(backends.HttpBackend, "close", spy)
    monkeypatch.setattr(bench_module, "RemoteJudge", Made)
    monkeypatch.setattr(Made, "every", {})
    with FakeLlm() as fake:
        before = Bench(seating("kept", "left", model=fake.base_url), Engine(CLOCK), CLOCK)
        broken = seating("kept", "new", "broken", model=fake.base_url, concurrency=2)
        with pytest.raises(OSError, match="no certificate"):
            Bench(broken, Engine(CLOCK), CLOCK, before=before)
        await asyncio.gather(*bench_module._undoing)
        (new,) = Made.every["new"]
        assert (new.closed, len(closed)) == ([0], 1)
        assert not Made.every["kept"][0].closed
        after = Bench(seating("kept", model=fake.base_url), Engine(CLOCK), CLOCK, before=before)
        assert after["kept"] is before["kept"]
        assert after["model"] is before["model"]
        await before.close(0)
        assert not Made.every["kept"][0].closed
        assert (Made.every["left"][0].closed, len(closed)) == ([0], 1)
        await after.close(0)
    assert (Made.every["kept"][0].closed, len(closed)) == ([0], 2)


async def test_a_judge_that_cannot_be_closed_keeps_no_other_part_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[str] = []

    async def refuse(self: Made, grace_seconds: float) -> None:
        raise RuntimeError(self.name)

    async def spy(backend: backends.HttpBackend) -> None:
        closed.append(backend.name)
        await close(backend)

    close = backends.HttpBackend.close
    monkeypatch.setattr(backends.HttpBackend, "close", spy)
    monkeypatch.setattr(Made, "close", refuse)
    monkeypatch.setattr(bench_module, "RemoteJudge", Made)
    with FakeLlm() as fake:
        bench = Bench(seating("stuck", model=fake.base_url), Engine(CLOCK), CLOCK)
        with pytest.raises(ExceptionGroup):
            await bench.close(0)
    assert closed == ["local"]
