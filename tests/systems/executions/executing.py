"""A running server of panels, checks, guards and nested policies with its audit on, and what its
streams and its audit say in short.
"""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.telemetry.audit import EVENTS
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from consensus.validators import check_faults
from tests.service.refusal import events
from tests.service.running import Running, policy, request, serving
from tests.service.scripted_judge import Backend, Script, answers, backend, gradient, refuses

SECRET = "SENTINEL"
GOOD = answers(gradient(0.9, 0.8, reasoning=SECRET))
BAD = answers(gradient(0.2, 0.9, reasoning=SECRET))
DOWN = refuses(grpc.StatusCode.INTERNAL, SECRET)
FIELDS = {event.name: set(event.fields) for event in EVENTS}


def nested(name: str) -> dict[str, Any]:
    return {"kind": "policy", "policy": name}


def file(target: str, far: str = "127.0.0.1:1") -> PolicySet:
    """Return the policies of this module; `far`: another server of them."""
    two = policy("fast", name="first", on_pass="advance")  # noqa: S106 - no password
    two["stages"] += policy("strong", "conduct", name="second")["stages"]
    checks = {"stages": [{"name": "form", "checks": [{"contains": "Paris"}]}]}
    shadowed = policy("fast")
    shadowed["stages"][0]["panel"]["seats"].append({"judge": "strong", "shadow": True})
    policies = {
        "two": two,
        "checks": checks,
        "turns": {"guards": {"turns": {}}} | policy("fast"),
        "shadowed": shadowed,
        "early": policy("fast", "strong", panel={"strategy": "unanimous", "settle": "early"}),
        "three": policy("fast", "strong", "conduct", panel={"quorum": 1}),
        "outer": policy("conduct", "within"),
        "inner": policy("fast"),
        "tower": policy("to-middle"),
        "middle": policy("to-far"),
        "base": policy("to-top"),
        "top": policy("fast", "to-far", panel={"quorum": 1}),
    }
    remote = {"kind": "remote", "target": target}
    judges = {
        "fast": remote | {"judge": "fast"},
        "strong": remote | {"judge": "strong"},
        "within": nested("inner"),
        "to-middle": nested("middle"),
        "to-far": {"kind": "consensus", "target": far, "judge": "base"},
        "to-top": nested("top"),
    }
    rules = [{"match": "*", "policy": "inner"}]
    content = {"default_policy": "two", "judges": judges, "policies": policies, "tools": rules}
    return parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)


@asynccontextmanager
async def audited_server() -> AsyncIterator[tuple[Running, Backend]]:
    """Serve these policies and, for judges that are far, once more; both write the audit."""
    async with (
        backend(fast=GOOD, strong=GOOD) as judges,
        serving(file(judges.target), audit=True) as other,
        serving(file(judges.target, other.address), audit=True) as running,
    ):
        yield running, judges


def begin(judges: Backend) -> dict[str, Script]:
    """Forget what was asked and return the scripts of the judges, all of them good again."""
    judges.scripts |= {"fast": GOOD, "strong": GOOD}
    judges.requests.clear()
    return judges.scripts


def audit_of(records: Sequence[logging.LogRecord], *names: str) -> list[dict[str, Any]]:
    """Return the audit's lines as dictionaries of their fields; all, or those of these names."""
    told = [
        {"event": r.getMessage()} | {field: vars(r)[field] for field in FIELDS[r.getMessage()]}
        for r in records
        if r.name == "consensus.audit"
    ]
    return [line for line in told if not names or line["event"] in names]


async def streamed(server: Running, name: str, **more: Any) -> list[Any]:
    asked = pb.StreamJudgeRequest(request=request(name, **more))
    return await events(server.consensus.StreamJudge(asked))


def told(seen: list[Any]) -> list[str]:
    """Return what each event is, in short."""
    words = []
    for event in seen:
        match event.WhichOneof("event"):
            case "state_changed":
                words.append(state_name(event.state_changed.state))
            case "seat_started":
                words.append(f"+{event.seat_started.judge}")
            case "seat_finished":
                words.append(f"-{event.seat_finished.seat.judge}")
            case "stage_finished":
                words.append(event.stage_finished.stage.stage)
            case kind:
                words.append(kind)
    return words


def state_name(state: int) -> str:
    return decision_pb2.ExecutionState.Name(state).removeprefix("EXECUTION_STATE_")


def states(seen: list[Any]) -> list[str]:
    return [
        state_name(event.state_changed.state) for event in seen if event.HasField("state_changed")
    ]
