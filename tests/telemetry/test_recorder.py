"""The recorder: every step of a judgment becomes the value that the table promises."""

import datetime
from collections.abc import Callable

import pytest

from consensus import __version__
from consensus.domain.decision import (
    Consensus,
    Decision,
    Dissent,
    GateAnswer,
    GateResult,
    Hierarchy,
    SeatResult,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.gradient import Abstention, Failure, FailureKind, GradientResult
from consensus.domain.policy import StrategyName
from consensus.telemetry.recorder import Recorder

SCORED = GradientResult(score=0.5, confidence=0.5)


Value = Callable[..., float | None]


def seat(status: SeatStatus = SeatStatus.SCORED, **more: object) -> SeatResult:
    fields = {"judge": "j", "weight": 1.0, "status": status, "answer": SCORED} | more
    return SeatResult(**fields)  # type: ignore[arg-type]


def stage(answer: GateAnswer = GateAnswer.PASS, **more: object) -> StageResult:
    ok = answer is GateAnswer.PASS
    gate = GateResult(
        answer=answer,
        score_ok=ok,
        confidence_ok=ok,
        agreement_ok=ok,
        criteria_ok=ok,
        quorum_ok=ok,
        seats_ok=ok,
    )
    return StageResult(stage="s1", gate=gate, **more)  # type: ignore[arg-type]


def consensus(agreement: float | None, *dissents: Dissent) -> Consensus:
    return Consensus(
        strategy=StrategyName.MEDIAN,
        threshold=0.7,
        seats=(),
        coverage=1.0,
        agreement=agreement,
        dissents=dissents,
    )


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (seat(), "ok"),
        (seat(SeatStatus.ABSTAINED, answer=Abstention("no")), "abstained"),
        (seat(SeatStatus.SKIPPED, answer=None), "cancelled"),
        *[
            (seat(SeatStatus.FAILED, answer=Failure(kind, "why")), kind.value)
            for kind in FailureKind
        ],
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_seat_counts_by_what_became_of_it(
    recorder: Recorder, value: Value, result: SeatResult, outcome: str
) -> None:
    recorder.seat_started("s1", "j")
    assert value("consensus_judge_inflight", judge="j") == 1
    recorder.seat_finished("s1", result)
    assert value("consensus_judge_inflight", judge="j") == 0
    assert value("consensus_judge_calls_total", judge="j", outcome=outcome) == 1
    assert value("consensus_judge_duration_seconds_count", judge="j") == 1


def test_struck_evidence_is_counted_by_judge(recorder: Recorder, value: Value) -> None:
    for struck in (0, 2, 3):
        recorder.seat_started("s1", "j")
        recorder.seat_finished("s1", seat(struck=struck))
    assert value("consensus_evidence_struck_total", judge="j") == 5


def test_a_stage_counts_quorum_settling_agreement_and_dissent(
    recorder: Recorder, value: Value
) -> None:
    recorder.stage_finished("p", stage(GateAnswer.NO_QUORUM, consensus=consensus(None)))
    recorder.stage_finished("p", stage(consensus=consensus(0.85, Dissent("j", 0.1, None))))
    recorder.stage_finished("p", stage(GateAnswer.FAIL, settled=True, consensus=consensus(None)))
    recorder.stage_finished("p", stage())
    assert value("consensus_quorum_missed_total", policy="p") == 1
    assert value("consensus_stages_settled_total", policy="p", stage="s1") == 1
    assert value("consensus_agreement_ratio_count", policy="p") == 1
    assert value("consensus_agreement_ratio_bucket", policy="p", le="0.9") == 1
    assert value("consensus_agreement_ratio_bucket", policy="p", le="0.8") == 0
    assert value("consensus_dissents_total", judge="j") == 1


def test_a_decision_counts_by_policy_and_verdict(recorder: Recorder, value: Value) -> None:
    for verdict in (Verdict.ACCEPT, Verdict.ACCEPT, Verdict.ESCALATE):
        decision = Decision(
            decision_id="d",
            verdict=verdict,
            reasons=(),
            feedback="",
            effective_score=None,
            criteria=(),
            stages=(),
            policy="p",
            policy_revision="r",
            hierarchy=Hierarchy(),
            create_time=datetime.datetime.now(datetime.UTC),
            duration_seconds=0.5,
        )
        recorder.decided(decision)
    assert value("consensus_decisions_total", policy="p", verdict="accept") == 2
    assert value("consensus_decisions_total", policy="p", verdict="escalate") == 1
    assert value("consensus_decision_duration_seconds_sum", policy="p") == 1.5


def test_the_policies_in_force_are_shown_and_no_others(recorder: Recorder, value: Value) -> None:
    recorder.policies({"a": "r1", "b": "r1"})
    recorder.policies({"a": "r2"})
    assert value("consensus_policy_info", policy="a", revision="r2") == 1
    assert value("consensus_policy_info", policy="a", revision="r1") is None
    assert value("consensus_policy_info", policy="b", revision="r1") is None
    recorder.policies({"a": "r1"})
    assert value("consensus_policy_info", policy="a", revision="r1") == 1


def test_reloads_and_the_build_are_shown(recorder: Recorder, value: Value) -> None:
    recorder.reloaded("error")
    assert value("consensus_policy_reloads_total", result="error") == 1
    (build,) = [f for f in recorder.registry.collect() if f.name == "consensus_build_info"]
    assert [sample.labels["version"] for sample in build.samples] == [__version__]
