"""A running server in the test's event loop, and what tests ask it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2_grpc
from prometheus_client import CollectorRegistry

from consensus.app import App
from consensus.config import Settings
from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.telemetry.recorder import Recorder
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, judge_pb2_grpc, submission_pb2
from consensus.validators import check_faults
from tests.service.beacon import Beacon

CONSENSUS = "consensus.v1.ConsensusService"
JUDGE = "consensus.v1.JudgeService"
HEALTH = "grpc.health.v1.Health"


class Witness(Recorder):
    """A recorder that tests can wait for."""

    def __init__(self) -> None:
        super().__init__(CollectorRegistry())
        self.codes: list[tuple[str, str]] = []
        """(method, code) of every call that ended, in order."""
        self.ended = Beacon()
        self.seats = Beacon()

    def call_handled(self, kind: str, service: str, method: str, code: str, seconds: float) -> None:
        super().call_handled(kind, service, method, code, seconds)
        self.codes.append((method, code))
        self.ended.light()

    def seat_finished(self, stage: str, seat: Any) -> None:
        super().seat_finished(stage, seat)
        self.seats.light()


class Running:
    """One server and a channel to it."""

    def __init__(self, app: App, witness: Witness, address: str, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.witness = witness
        self.address = address
        self.channel: Any = channel
        self.consensus: Any = consensus_pb2_grpc.ConsensusServiceStub(channel)
        self.judge: Any = judge_pb2_grpc.JudgeServiceStub(channel)
        self.health: Any = health_pb2_grpc.HealthStub(channel)

    def value(self, name: str, **labels: str) -> float:
        """Return a metric's value; 0 where there is none yet."""
        return self.witness.registry.get_sample_value(name, labels) or 0.0

    def call(self, service: str, method: str) -> Any:
        """Return a method that takes and gives bytes."""
        return self.channel.unary_unary(f"/{service}/{method}")


def policy(*judges: str, seat: dict[str, Any] | None = None, **stage: Any) -> dict[str, Any]:
    """Return a policy of one stage whose panel seats these judges."""
    panel = {"seats": [{"judge": name, **(seat or {})} for name in judges]}
    panel |= stage.pop("panel", {})
    rules = {"name": "panel", "panel": panel, "on_no_quorum": "escalate"} | stage
    return {"stages": [rules]}


def policy_text(target: str, **policies: dict[str, Any]) -> str:
    """Return a policy file; judges that are not embedded are asked for at `target`."""
    seated = {
        seat["judge"]
        for content in policies.values()
        for stage in content["stages"]
        for seat in stage.get("panel", {}).get("seats", ())
    } - {"checks", "coverage", "conduct"}
    judges = {name: {"kind": "remote", "target": target, "judge": name} for name in sorted(seated)}
    first = next(iter(policies))
    return json.dumps({"default_policy": first, "judges": judges, "policies": policies})


def rules(target: str = "127.0.0.1:1", **policies: dict[str, Any]) -> PolicySet:
    """Return what `policy_text` says."""
    return parse_policies(policy_text(target, **policies), Path("policy.yaml"), check_faults)


def submission(**more: Any) -> submission_pb2.Submission:
    """Return a sound submission."""
    fields: dict[str, Any] = {"task": "Name the capital.", "candidate": "Paris."}
    return submission_pb2.Submission(**fields | more)


def request(policy: str = "", **more: Any) -> pb.JudgeRequest:
    """Return a sound request."""
    fields: dict[str, Any] = {"submission": submission(), "policy": policy}
    return pb.JudgeRequest(**fields | more)


@asynccontextmanager
async def serving(policies: PolicySet, **settings: Any) -> AsyncIterator[Running]:
    """Serve on a free port of the loopback until the block ends."""
    given: dict[str, Any] = {"listen": "127.0.0.1:0", "drain_delay_seconds": 0.0}
    witness = Witness()
    app = App(Settings(**given | settings), policies, witness)
    address = await app.server.start()
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
    try:
        async with grpc.aio.insecure_channel(address, options) as channel:
            yield Running(app, witness, address, channel)
    finally:
        await app.server._server.stop(None)
        await app.close()
