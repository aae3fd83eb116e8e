"""Parts that were made apart, together: traces, rubrics, views, nesting, proofs, replays."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.domain.ports import Proof
from consensus.domain.submission import Criterion, SandboxKind
from consensus.sandbox import Sandbox
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.beacon import Beacon
from tests.service.deriving_judge import Model, seat
from tests.service.refusal import events
from tests.service.running import policy, request, serving, submission
from tests.service.scripted_judge import answers, backend, gradient
from tests.traces.building import span
from tests.wire.otlp_documents import json_bytes

TRACE = submission_pb2.Trace(otlp_json=json_bytes([span("a0b1c2d3", name="look up")]).decode())
SAID = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "In Paris."}]
OWN = {"criteria": [{"id": "C1", "text": "Names Paris.", "checks": [{"contains": "Paris"}]}]}
PROVEN = {"criteria": [{"id": "Q", "text": "Its query runs.", "required": True,
                        "checks": [{"sql": {"columns": ["day"]}}]}]}  # fmt: skip
SEES = {"messages": 1}
ACCEPT, RETRY = decision_pb2.VERDICT_ACCEPT, decision_pb2.VERDICT_RETRY


def file(target: str, policies: Mapping[str, Any]) -> PolicySet:
    """Return a policy file in which `leaf` is at `target`, and `within` is the policy `inner`."""
    judges: dict[str, Any] = {"leaf": {"kind": "remote", "target": target, "judge": "leaf"}}
    judges["model"] = judges["leaf"]
    if "inner" in policies:
        judges["within"] = {"kind": "policy", "policy": "inner"}
    if "asking" in policies:
        judges["away"] = {"kind": "consensus", "target": target, "judge": "outer"}
    content = {"default_policy": "outer", "judges": judges, "policies": policies}
    return parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)


def viewed(*judges: str, **more: Any) -> dict[str, Any]:
    return policy(*judges, panel={"sees": SEES}) | more


LIMITED = {"spend": {"per_request_usd": 1}}
TRACED: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "a rubric of the policy's own": ({"outer": policy("leaf") | {"rubric": OWN}}, {}),
    "a panel that sees less": ({"outer": viewed("leaf")}, {}),
    "both, and a limit": ({"outer": viewed("leaf", rubric=OWN, **LIMITED)}, {"max_cost_usd": 0.5}),
    "a derived rubric": ({"outer": viewed("leaf", "model")}, {"derive_criteria": {}}),
    "a nested policy with its own rubric": (
        {"outer": viewed("within"), "inner": viewed("leaf", rubric=OWN)},
        {"overrides": {"min_score": 0.1}, "include_validation_results": True},
    ),
    "a nested policy and a derived rubric": (
        {"outer": policy("within", "model"), "inner": viewed("leaf")},
        {"derive_criteria": {"judge": "model"}, "max_cost_usd": 0.5},
    ),
}


@pytest.mark.parametrize("case", TRACED)
async def test_judges_elsewhere_get_the_trace_as_it_came(case: str) -> None:
    policies, more = TRACED[case]
    asked = request(submission=submission(trace=TRACE, messages=SAID), **more)
    async with backend(leaf=answers(gradient())) as judges:
        async with serving(file(judges.target, policies)) as server:
            if "derive_criteria" in more:
                seat(server, Model(derived=(Criterion(id="C9", text="Names it."),)))
            one = (await server.consensus.Judge(asked)).decision
            stream = server.consensus.StreamJudge(pb.StreamJudgeRequest(request=asked))
            told = (await events(stream))[-1].decision
            batch = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[asked]))
        decisions = [one, told, batch.results[0].decision]
        assert [decision.verdict for decision in decisions] == [ACCEPT] * 3
        assert [seen.submission.trace for seen in judges.requests] == [TRACE] * 3
        counts = {len(seen.submission.messages) for seen in judges.requests}
        assert counts == ({1} if "sees" in json.dumps(policies) else {2})


@pytest.mark.parametrize("rubric", [None, {}], ids=["unset", "set aside"])
async def test_a_policy_on_another_server_judges_a_trace_by_its_own_rubric(
    rubric: Mapping[str, Any] | None,
) -> None:
    async with backend(leaf=answers(gradient())) as judges:
        far = file(judges.target, {"outer": viewed("leaf", "checks", rubric=OWN)})
        async with serving(far) as other:
            near = file(other.address, {"outer": policy("away"), "asking": policy("away")})
            async with serving(near) as server:
                given = submission(trace=TRACE, messages=SAID, rubric=rubric)
                asked = request(submission=given)
                decision = (await server.consensus.Judge(asked)).decision
        (seen,) = judges.requests
    assert [criterion.id for criterion in seen.submission.rubric.criteria] == ["C1"]
    assert (seen.submission.trace, len(seen.submission.messages)) == (TRACE, 1)
    assert next(iter(seen.hierarchy.path)) == decision.decision_id


async def test_a_replay_is_the_same_decision_with_all_that_was_asked_for() -> None:
    rules = file("127.0.0.1:1", {"outer": policy("checks") | {"rubric": OWN}})
    asked = request(
        submission=submission(trace=TRACE), request_id="one", include_validation_results=True
    )
    async with serving(rules) as server:
        first = (await server.consensus.Judge(asked)).decision
        again = (await server.consensus.Judge(asked)).decision
        batch = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[asked, asked]))
    assert [again, *(result.decision for result in batch.results)] == [first] * 3
    assert first.validation_results.semantic.success


class Proving:
    """A sandbox that counts what it proves, and may hold it."""

    def __init__(
        self, patch: pytest.MonkeyPatch, *, held: bool = False, passed: bool = True
    ) -> None:
        self.subjects: list[tuple[str, ...]] = []
        self.closed: list[Sandbox] = []
        self.asked = Beacon()
        self.release = anyio.Event()
        if not held:
            self.release.set()

        async def prove(box: Sandbox, kind: SandboxKind, subjects: Sequence[str]) -> Proof:
            self.subjects.append(tuple(subjects))
            self.asked.light()
            await self.release.wait()
            assert box not in self.closed
            return Proof(passed, "it ran")

        async def close(box: Sandbox) -> None:
            self.closed.append(box)

        patch.setattr(Sandbox, "prove", prove)
        patch.setattr(Sandbox, "close", close)


TEST = {"scenario": {}, "turn": {"iteration": 0, "max_iterations": 40}}
NESTED: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "in a nested policy with a rubric of its own": (
        {
            "outer": policy("within", "checks") | {"rubric": PROVEN},
            "inner": policy("checks") | {"rubric": PROVEN},
        },
        {},
    ),
    "in policies that each show their own last turn": (
        {
            "outer": policy("within", "checks")
            | {"rubric": PROVEN, "guards": {"scenario": {"max_turns": 9}}},
            "inner": policy("checks") | {"guards": {"scenario": {"max_turns": 5}}},
        },
        TEST,
    ),
}


@pytest.mark.parametrize("case", NESTED)
async def test_what_is_proven_is_proven_once(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policies, facts = NESTED[case]
    sandbox = Proving(monkeypatch)
    asked = request(submission=submission(candidate="SELECT 1 AS day", **facts))
    async with serving(file("127.0.0.1:1", policies)) as server:
        decision = (await server.consensus.Judge(asked)).decision
    assert sandbox.subjects == [("SELECT 1 AS day",)]
    assert [seat.gradient.score for seat in decision.stages[0].consensus.individual_results] == [
        1,
        1,
    ]


async def test_a_reload_while_something_is_proven_changes_nothing_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox = Proving(monkeypatch, held=True)
    old = file("127.0.0.1:1", {"outer": policy("checks") | {"rubric": PROVEN}})
    new = file("127.0.0.1:1", {"outer": policy("conduct")})
    asked = request(submission=submission(candidate="SELECT 1 AS day"))
    async with serving(old) as server:
        call = server.consensus.Judge(asked, timeout=30)
        await sandbox.asked.reaches()
        previous = server.app.put_in_force(new)
        sandbox.release.set()
        decision = (await call).decision
        assert [criterion.criterion_id for criterion in decision.criteria] == ["Q"]
        assert decision.verdict == ACCEPT
        await previous.close(0)
        assert sandbox.closed == [previous.prover]
    assert len(set(map(id, sandbox.closed))) == 2


async def test_a_caller_who_leaves_while_something_is_proven_ends_the_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox = Proving(monkeypatch, held=True)
    rules = file("127.0.0.1:1", {"outer": policy("checks") | {"rubric": PROVEN}})
    asked = request(submission=submission(candidate="SELECT 1 AS day"), request_id="again")
    async with serving(rules) as server:
        call = server.consensus.Judge(asked, timeout=30)
        await sandbox.asked.reaches()
        call.cancel()
        await server.witness.ended.reaches()
        sandbox.release.set()
        decision = (await server.consensus.Judge(asked)).decision  # nothing is remembered
    assert decision.verdict == ACCEPT
    assert len(sandbox.subjects) == 2


@pytest.mark.parametrize(
    ("passed", "settled"),
    [pytest.param(True, False, id="holds"), pytest.param(False, True, id="fails, and settles")],
)
async def test_a_proof_may_settle_a_panel_that_sees_less_before_anyone_answers(
    passed: bool, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Proving(monkeypatch, passed=passed)
    view = {"sees": SEES, "settle": "early", "strategy": "unanimous"}
    rules = {"outer": policy("checks", "leaf", panel=view) | {"rubric": PROVEN}}
    given = submission(candidate="SELECT 1 AS day", trace=TRACE, messages=SAID)
    stream = pb.StreamJudgeRequest(request=request(submission=given, max_cost_usd=1))
    async with (
        backend(leaf=answers(gradient())) as judges,
        serving(file(judges.target, rules)) as server,
    ):
        told = await events(server.consensus.StreamJudge(stream))
    assert bool(judges.requests) is not settled
    decision = told[-1].decision
    (stage,) = decision.stages
    assert stage.settled is settled
    assert decision.verdict == (RETRY if settled else ACCEPT)
    started = [event.seat_started.judge for event in told if event.HasField("seat_started")]
    finished = [event.seat_finished.seat.judge for event in told if event.HasField("seat_finished")]
    assert started == finished == (["checks"] if settled else ["checks", "leaf"])
