"""What Prometheus sees after real calls."""

import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
import grpc
from prometheus_client.parser import text_string_to_metric_families

from consensus.service.server import METHODS
from consensus.telemetry.exposition import metrics_served
from consensus.telemetry.metrics import METRICS
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import gradient_pb2
from tests.service.refusal import events, refused
from tests.service.running import Running, policy, request, rules, serving, submission
from tests.service.scripted_judge import (
    Hanging,
    Script,
    abstention,
    answers,
    backend,
    gradient,
    refuses,
)

Scrape = dict[tuple[str, frozenset[tuple[str, str]]], float]


class Scraped:
    """One scrape."""

    def __init__(self, text: str) -> None:
        self.families = list(text_string_to_metric_families(text))

    def value(self, name: str, **labels: str) -> float | None:
        """Return a sample's value; None where there is no such sample."""
        for family in self.families:
            for sample in family.samples:
                if sample.name == name and sample.labels == labels:
                    return float(sample.value)
        return None

    def labels(self, name: str) -> set[str]:
        """Return every value that a label of this name has taken."""
        samples = (sample for family in self.families for sample in family.samples)
        return {sample.labels[name] for sample in samples if name in sample.labels}


@asynccontextmanager
async def scraping(server: Running) -> AsyncIterator[list[Scraped]]:
    """Yield a list that holds a scrape when the block has ended."""
    found: list[Scraped] = []
    yield found
    with metrics_served("127.0.0.1:0", server.witness.registry) as address:

        def read() -> str:
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as reply:
                return str(reply.read(), "utf-8")

        found.append(Scraped(await anyio.to_thread.run_sync(read)))


YES = answers(gradient(1.0, 1.0))
RUBRIC = {"criteria": [{"id": "C1", "text": "Names Paris"}]}
STRUCK = gradient_pb2.Finding(
    criterion_id="C1",
    status=gradient_pb2.FINDING_STATUS_MET,
    evidence=[gradient_pb2.Evidence(quote="never said")],
)


async def test_judges_are_counted_by_what_became_of_them() -> None:
    scripts: dict[str, Script] = {
        "good": answers(gradient(0.9, findings=[STRUCK])),
        "bad": answers(gradient(0.1)),
        "unsure": answers(abstention()),
        "wild": answers(gradient(7)),
        "down": refuses(grpc.StatusCode.UNAVAILABLE),
        "busy": refuses(grpc.StatusCode.RESOURCE_EXHAUSTED),
        "late": Hanging(),
    }
    patience = {"timeout_seconds": 0.2}
    async with (
        backend(**scripts) as judges,
        serving(rules(judges.target, default=policy(*scripts, seat=patience))) as server,
        scraping(server) as found,
    ):
        await server.consensus.Judge(request(submission=submission(rubric=RUBRIC)))
    (seen,) = found
    outcomes = {
        "good": "ok",
        "bad": "ok",
        "unsure": "abstained",
        "wild": "unreadable",
        "down": "error",
        "busy": "overloaded",
        "late": "timeout",
    }
    for judge, outcome in outcomes.items():
        assert seen.value("consensus_judge_calls_total", judge=judge, outcome=outcome) == 1
        assert seen.value("consensus_judge_duration_seconds_count", judge=judge) == 1
        assert seen.value("consensus_judge_inflight", judge=judge) == 0
    assert seen.value("consensus_dissents_total", judge="good") == 1
    assert seen.value("consensus_evidence_struck_total", judge="good") == 1
    assert seen.value("consensus_agreement_ratio_count", policy="default") == 1
    assert seen.labels("judge") == set(outcomes)


async def test_decisions_quorums_and_settled_stages_are_counted_by_policy() -> None:
    settled = policy("yes", "slow", panel={"settle": "early"}, gate={"min_score": 0.4})
    async with (
        backend(
            yes=answers(gradient(1.0, 1.0)), slow=Hanging(), none=answers(abstention())
        ) as judges,
        serving(rules(judges.target, settled=settled, missed=policy("none"))) as server,
        scraping(server) as found,
    ):
        await server.consensus.Judge(request("settled"))
        for _ in range(2):
            await server.consensus.Judge(request("missed"))
    (seen,) = found
    assert seen.value("consensus_decisions_total", policy="settled", verdict="accept") == 1
    assert seen.value("consensus_decisions_total", policy="missed", verdict="escalate") == 2
    assert seen.value("consensus_decision_duration_seconds_count", policy="missed") == 2
    assert seen.value("consensus_quorum_missed_total", policy="missed") == 2
    assert seen.value("consensus_stages_settled_total", policy="settled", stage="panel") == 1
    assert seen.value("consensus_judge_calls_total", judge="slow", outcome="cancelled") == 1
    for name in ("settled", "missed"):
        revision = server.app.rules.current.policies.policies[name].revision
        assert seen.value("consensus_policy_info", policy=name, revision=revision) == 1


async def test_calls_are_counted_by_method_and_status() -> None:
    async with (
        serving(rules(default=policy("conduct"))) as server,
        scraping(server) as found,
    ):
        for _ in range(3):
            await server.consensus.Judge(request(request_id="one"))
        await refused(server.consensus.Judge(request("nobody")))
        stream = await events(
            server.consensus.StreamJudge(pb.StreamJudgeRequest(request=request()))
        )
    (seen,) = found
    judge = {
        "grpc_type": "unary",
        "grpc_service": "consensus.v1.ConsensusService",
        "grpc_method": "Judge",
    }
    assert seen.value("grpc_server_started_total", **judge) == 4
    assert seen.value("grpc_server_handled_total", **judge, grpc_code="OK") == 3
    assert seen.value("grpc_server_handled_total", **judge, grpc_code="InvalidArgument") == 1
    assert seen.value("grpc_server_msg_received_total", **judge) == 4
    assert seen.value("grpc_server_msg_sent_total", **judge) == 3
    assert seen.value("grpc_server_handling_seconds_count", **judge) == 4
    streamed = judge | {"grpc_type": "server_stream", "grpc_method": "StreamJudge"}
    assert seen.value("grpc_server_msg_sent_total", **streamed) == len(stream)
    assert seen.value("consensus_idempotent_replays_total") == 2
    assert seen.value("consensus_deadline_budget_seconds_count") == 5
    assert seen.value("consensus_inflight") == 0


async def test_every_method_is_at_0_with_every_status_before_the_first_call() -> None:
    async with serving(rules(default=policy("conduct"))) as server, scraping(server) as found:
        pass
    (seen,) = found
    for service, method, kind in [
        ("ConsensusService", "Judge", "unary"),
        ("ConsensusService", "StreamJudge", "server_stream"),
        ("JudgeService", "EvaluateBatch", "unary"),
    ]:
        call = {
            "grpc_type": kind,
            "grpc_service": f"consensus.v1.{service}",
            "grpc_method": method,
        }
        for name in ("started_total", "msg_received_total", "msg_sent_total"):
            assert seen.value(f"grpc_server_{name}", **call) == 0
        assert seen.value("grpc_server_handling_seconds_count", **call) == 0
        for code in ("OK", "Internal", "DeadlineExceeded", "Canceled"):
            assert seen.value("grpc_server_handled_total", **call, grpc_code=code) == 0
    for result in ("ok", "unchanged", "error"):
        assert seen.value("consensus_policy_reloads_total", result=result) == 0


async def test_names_from_requests_never_become_labels() -> None:
    async with (
        serving(rules(default=policy("conduct"))) as server,
        scraping(server) as found,
    ):
        for index in range(50):
            await refused(server.consensus.Judge(request(f"made-up-{index}")))
            await refused(server.call("consensus.v1.ConsensusService", f"MadeUp{index}")(b""))
            await refused(server.call(f"made.up.Service{index}", "Judge")(b""))
        await server.consensus.Judge(request(submission=submission(rubric=RUBRIC)))
    (seen,) = found
    assert seen.labels("policy") == {"default"}
    assert seen.labels("judge") == {"conduct"}
    assert seen.labels("grpc_method") == {method.name for method in METHODS}
    assert seen.labels("grpc_service") == {method.service for method in METHODS}


async def test_a_scrape_shows_every_metric_of_the_table_and_no_other() -> None:
    async with (
        serving(rules(default=policy("conduct"))) as server,
        scraping(server) as found,
    ):
        await server.consensus.Judge(request())
    (seen,) = found
    names = {family.name for family in seen.families if not family.name.endswith("_created")}
    assert names == {metric.name.removesuffix("_total") for metric in METRICS}
