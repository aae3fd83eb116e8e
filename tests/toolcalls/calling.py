"""Tool calls through a running server with the shipped policy, and its judge as scripted."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import tool_call_pb2 as pb
from consensus.validators import check_faults
from tests.service.running import Running, serving
from tests.service.scripted_judge import Backend, Script, backend

SHIPPED = Path(__file__).parents[2] / "examples/policies/tool_calls.yaml"
JUDGE = "tool-call-policy-judge"
WRITE = {"path": "/project/notes.md", "content": "Opening hours: nine to five."}


def request(tool: str = "fs.write", arguments: Any = None, **more: Any) -> pb.JudgeToolCallRequest:
    """Return a sound request; arguments that are text are sent as JSON text."""
    given = WRITE if arguments is None else arguments
    call = pb.ProposedToolCall(name=tool)
    if isinstance(given, str):
        call.arguments_json = given
    else:
        call.arguments.update(given)
    fields: dict[str, Any] = {"task": "Write down when the tower opens.", "call": call}
    return pb.JudgeToolCallRequest(**fields | more)


def shipped(target: str, **changes: Any) -> PolicySet:
    """Return the shipped policy with its judge at `target`; `changes` replace top-level keys."""
    content = yaml.safe_load(SHIPPED.read_text("utf-8")) | changes
    content["judges"]["tool-call-policy"]["target"] = target
    return parse_policies(json.dumps(content), SHIPPED, check_faults)


def stage(**keys: Any) -> dict[str, Any]:
    """Return the shipped policy section with keys of its only stage changed."""
    policy = yaml.safe_load(SHIPPED.read_text("utf-8"))["policies"]["tool-calls"]
    policy["stages"][0] |= keys
    return {"tool-calls": policy}


@asynccontextmanager
async def judged_by(script: Script, **changes: Any) -> AsyncIterator[tuple[Running, Backend]]:
    """Serve the shipped policy, its judge doing what the script says."""
    async with (
        backend(**{JUDGE: script}) as judges,
        serving(shipped(judges.target, **changes)) as server,
    ):
        yield server, judges
