"""A server in the test's event loop whose policy file changes, and what it records of that."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import grpc.aio
from prometheus_client import CollectorRegistry

from consensus.app import App, read_policies
from consensus.config import Settings
from consensus.telemetry.recorder import Recorder
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, decision_pb2, submission_pb2

SUBMISSION = submission_pb2.Submission(task="Name the capital.", candidate="Paris.")
GONE = "(no file at all)"
REQUEST = pb.JudgeRequest(submission=SUBMISSION)


class Witness(Recorder):
    """A recorder that tells every reload to whoever waits for it."""

    def __init__(self) -> None:
        super().__init__(CollectorRegistry())
        self.results: list[str] = []
        self._told = anyio.Event()

    def reloaded(self, result: str) -> None:
        super().reloaded(result)
        self.results.append(result)
        self._told.set()
        self._told = anyio.Event()

    async def until(self, *results: str) -> None:
        """Wait until these are the results so far."""
        with anyio.fail_after(30):
            while self.results != list(results):
                await self._told.wait()

    def policies_shown(self) -> dict[str, str]:
        """Return the policies that the gauge shows, with their revisions."""
        (family,) = [one for one in self.registry.collect() if one.name == "consensus_policy_info"]
        return {
            sample.labels["policy"]: sample.labels["revision"]
            for sample in family.samples
            if sample.value == 1
        }


class Running:
    """A server, what it records, and a channel to it."""

    def __init__(self, app: App, witness: Witness, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.witness = witness
        self._stub: Any = consensus_pb2_grpc.ConsensusServiceStub(channel)

    async def decision(self) -> decision_pb2.Decision:
        """Judge, and return the decision."""
        reply: pb.JudgeResponse = await self._stub.Judge(REQUEST, timeout=30)
        return reply.decision

    async def stages(self) -> list[str]:
        """Return the stages that judge now."""
        return [stage.stage for stage in (await self.decision()).stages]

    async def revisions(self) -> dict[str, str]:
        """Return the policies in force with their revisions."""
        listed = await self._stub.ListPolicies(pb.ListPoliciesRequest(), timeout=30)
        return {policy.name: policy.revision for policy in listed.policies}


def hang_up() -> None:
    """Send this process SIGHUP."""
    os.kill(os.getpid(), signal.SIGHUP)


@asynccontextmanager
async def running(file: Path, *, changed: str = "", **settings: Any) -> AsyncIterator[Running]:
    """Run a server until the block ends; `changed` is what the file holds once it was loaded."""
    given: dict[str, Any] = {
        "listen": "127.0.0.1:0",
        "metrics": "",
        "policy_file": file,
        "reload_seconds": 0.0,
        "drain_delay_seconds": 0.0,
        "drain_grace_seconds": 5.0,
    }
    witness, ready, addresses = Witness(), anyio.Event(), list[str]()

    def greet(address: str, metrics: str) -> None:
        addresses.append(address)
        ready.set()

    app = App(Settings(**given | settings), read_policies(file), witness)
    if changed:
        write(file, changed)
    server = asyncio.create_task(app.run(greet))
    await ready.wait()
    try:
        async with grpc.aio.insecure_channel(addresses[0]) as channel:
            yield Running(app, witness, channel)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await server


def checking(*stages: str) -> str:
    """Return a policy file whose default policy has stages of checks with these names."""
    found = [{"name": name, "checks": [{"contains": "Paris"}]} for name in stages]
    return json.dumps({"version": 1, "policies": {"default": {"stages": found}}})


def asking(target: str, *judges: str) -> str:
    """Return a policy file whose stages ask one remote judge each."""
    stages = [
        {"name": name, "panel": {"seats": [{"judge": name}]}, "on_no_quorum": "escalate"}
        for name in judges
    ]
    remote = {name: {"kind": "remote", "target": target, "judge": name} for name in judges}
    policies = {"default": {"stages": stages}}
    return json.dumps({"version": 1, "judges": remote, "policies": policies})


def write(file: Path, text: str) -> Path:
    """Write a file as editors do it right, beside it first; or remove it."""
    if text == GONE:
        file.unlink()
        return file
    beside = file.with_suffix(".new")
    beside.write_text(text, "utf-8")
    return beside.replace(file)
