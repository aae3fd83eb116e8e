"""The server process: signals, exit codes, ports and the lines on stderr."""

import asyncio
import signal
import socket
import subprocess
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import anyio.to_thread
import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from tests.service.beacon import PATIENCE_SECONDS
from tests.service.process import ROOT, calling, command, environment, process
from tests.service.refusal import refused
from tests.service.running import policy, policy_text, request, submission
from tests.service.scripted_judge import Hanging, Held, answers, backend, gradient

CONNECTIONS = 4


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the policy file is."""
    return tmp_path / "policy.yaml"


def write(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")


async def scraped(address: str) -> str:
    """Return what Prometheus sees."""

    def read() -> str:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as reply:
            return str(reply.read())

    return await anyio.to_thread.run_sync(read)


async def test_sigterm_under_load_loses_no_call_and_exits_with_zero(file: Path) -> None:
    held, quick = Held(), answers(gradient())
    async with backend(held=held, quick=quick) as judges:
        write(file, policy_text(judges.target, default=policy("held", "quick")))
        async with process("--policy-file", str(file)) as server, AsyncExitStack() as stack:
            stubs = [
                await stack.enter_async_context(calling(server.address)) for _ in range(CONNECTIONS)
            ]
            under_way = [
                asyncio.ensure_future(stubs[i % CONNECTIONS].Judge(request())) for i in range(60)
            ]
            await held.asked.reaches(60)
            server.signal(signal.SIGTERM)
            assert (await server.says("draining"))["inflight"] == 60
            new = [refused(stub.Judge(request("nobody"))) for stub in stubs]
            codes = {seen.code for seen in await asyncio.gather(*new)}
            assert codes <= {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INVALID_ARGUMENT}
            held.release.set()
            replies = await asyncio.gather(*under_way)
            assert len({reply.decision.decision_id for reply in replies}) == 60
            assert await server.exits() == 0
            assert server.lines[-1]["message"] == "stopped"
            seen = await refused(stubs[0].Judge(request()))
            assert seen.code is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_stops_at_once(file: Path, number: signal.Signals) -> None:
    hanging = Hanging()
    async with backend(hanging=hanging) as judges:
        write(file, policy_text(judges.target, default=policy("hanging")))
        async with (
            process("--policy-file", str(file), "--drain-delay-seconds", "60") as server,
            calling(server.address) as stub,
        ):
            call = stub.Judge(request())
            await hanging.asked.reaches()
            server.signal(number)
            await server.says("draining")
            server.signal(number)
            await server.says("stopping at once")
            assert await server.exits() == 0
            assert (await refused(call)).code is grpc.StatusCode.UNAVAILABLE
            await hanging.cancelled.reaches()


async def test_sighup_puts_a_changed_file_in_force_and_keeps_the_last_good_one(file: Path) -> None:
    write(file, policy_text("", first=policy("conduct")))
    arguments = ("--policy-file", str(file), "--reload-seconds", "0")
    async with process(*arguments) as server, calling(server.address) as stub:

        async def names() -> list[str]:
            reply = await stub.ListPolicies(pb.ListPoliciesRequest())
            return [found.name for found in reply.policies]

        assert await names() == ["first"]
        write(file, policy_text("", second=policy("conduct"), third=policy("checks")))
        server.signal(signal.SIGHUP)
        await server.says("policy file reloaded")
        assert await names() == ["second", "third"]
        seen = await refused(stub.Judge(request("first")))
        assert list(seen.fields) == ["policy"]
        write(file, "policies: {broken: {}}")
        server.signal(signal.SIGHUP)
        await server.says("policy file refused, the last good one stays")
        assert await names() == ["second", "third"]
        server.signal(signal.SIGHUP)
        await server.says("policy file is unchanged")
        text = await scraped(server.metrics)
        for result in ("ok", "error", "unchanged"):
            assert f'consensus_policy_reloads_total{{result="{result}"}} 1.0' in text
        assert 'consensus_policy_info{policy="second"' in text
        assert 'consensus_policy_info{policy="first"' not in text
        with anyio.fail_after(PATIENCE_SECONDS):
            while "consensus_event_loop_lag_seconds_count 0.0" in text:
                text = await scraped(server.metrics)
        assert "process_resident_memory_bytes" in text


TASK, CANDIDATE, CRITERION = "SENTINEL-TASK", "SENTINEL-CANDIDATE", "SENTINEL-CRITERION"
REASONING, REFUSAL, BROKEN = "SENTINEL-REASONING", "SENTINEL-REFUSAL", "SENTINEL-BROKEN"


async def test_lines_are_json_with_the_trace_id_and_without_any_judged_content(file: Path) -> None:
    async def refuses(asked: object, context: object) -> bytes:
        await context.abort(grpc.StatusCode.INTERNAL, REFUSAL)  # type: ignore[attr-defined]
        return b""

    async def breaks(asked: object, context: object) -> bytes:
        raise ValueError(BROKEN)

    wordy = answers(gradient(0.1, reasoning=REASONING, metadata={"model": REASONING}))
    async with backend(wordy=wordy, refuses=refuses, breaks=breaks) as judges:
        rule = policy("wordy", "refuses", "breaks", "coverage")
        write(file, policy_text(judges.target, default=rule))
        arguments = ("--policy-file", str(file), "--log-level", "debug")
        async with process(*arguments) as server, calling(server.address) as stub:
            rubric = {"criteria": [{"id": "C1", "text": CRITERION, "required": True}]}
            asked = request(submission=submission(task=TASK, candidate=CANDIDATE, rubric=rubric))
            trace = "0af7651916cd43dd8448eb211c80319c"
            metadata = (("traceparent", f"00-{trace}-b7ad6b7169203331-01"),)
            decision = (await stub.Judge(asked, metadata=metadata)).decision
            assert REASONING in decision.feedback
            await refused(stub.Judge(request(f"{TASK}-policy")))
            line = await server.says("decision")
            assert line["decision_id"] == decision.decision_id
            assert line["trace_id"] == trace
            assert (line["level"], line["logger"]) == ("INFO", "consensus.decisions")
            assert line["verdict"] == "retry"
            assert "refuses:failed" in line["seats"]
            server.signal(signal.SIGTERM)
            assert await server.exits() == 0
    failed = [line for line in server.lines if line["message"] == "seat failed"]
    assert {line["judge"] for line in failed} == {"refuses", "breaks"}
    assert "SENTINEL" not in str(server.lines)


def test_a_port_that_is_taken_is_said_in_one_line_and_exits_with_four() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for option, words in (
            ("--listen", f"cannot listen on {address}: is the port taken?"),
            ("--metrics", f"cannot serve metrics on {address}: Address already in use"),
        ):
            done = subprocess.run(
                command(option, address),
                cwd=ROOT,
                env=environment(),
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert done.returncode == 4
            assert done.stderr == f"Error: {words}\n"
