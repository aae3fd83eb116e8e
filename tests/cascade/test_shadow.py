"""A shadow seat is asked, recorded and counted, and changes nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from consensus.domain.decision import SeatStatus, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind
from consensus.domain.policy import Seat, Settle, StrategyName
from consensus.domain.soundness import panel_faults
from consensus.telemetry.recorder import Recorder
from tests.builders import (
    FOREVER,
    Instant,
    Script,
    Waiting,
    Watcher,
    criteria,
    decide,
    finds,
    quotes,
    scores,
    seats_of,
    stage,
    submission,
)

SHADOW = Seat(judge="new", weight=5, shadow=True)


@pytest.mark.parametrize("strategy", [s for s in StrategyName if s is not StrategyName.BEST_OF_N])
@given(
    script=st.one_of(
        st.floats(0, 1).map(lambda score: scores(score, reasoning="SHADOW")),
        st.just(Abstention("cannot tell")),
        st.just(JudgeFailed(FailureKind.ERROR, "broken")),
    )
)
@settings(max_examples=15)
async def test_whatever_a_shadow_says_the_decision_is_the_same(
    strategy: StrategyName, script: Script
) -> None:
    judges = Instant("a", scores(0.8, 0.9)), Instant("b", scores(0.5, 0.7))
    alone = await decide(stage("a", "b", strategy=strategy), *judges)
    watched = await decide(
        stage("a", "b", SHADOW, strategy=strategy), *judges, Instant("new", script)
    )
    one, two = alone.stages[0].consensus, watched.stages[0].consensus
    assert one is not None
    assert two is not None
    assert (two.final_score, two.confidence, two.agreement, two.coverage) == (
        one.final_score,
        one.confidence,
        one.agreement,
        one.coverage,
    )
    assert (watched.verdict, watched.feedback, two.dissents) == (
        alone.verdict,
        alone.feedback,
        one.dissents,
    )
    assert seats_of(watched)["new"].shadow
    assert "new" not in " ".join(reason.message for reason in watched.reasons)


async def test_a_shadow_has_no_vote_on_a_criterion_and_gives_no_quotation() -> None:
    about = submission(rubric=criteria("C1"))
    shadow = Instant("new", quotes("met", "The tower opens at nine."))
    decision = await decide(
        stage("a", SHADOW), Instant("a", finds(C1="unmet")), shadow, about=about
    )
    (criterion,) = decision.criteria
    assert (criterion.met, criterion.unmet, criterion.evidence) == (0, 1, ())


async def test_a_shadow_makes_no_quorum() -> None:
    judges = Instant("a", JudgeFailed(FailureKind.ERROR, "broken")), Instant("new", scores(1.0))
    decision = await decide(stage("a", SHADOW), *judges)
    assert decision.verdict is Verdict.ESCALATE
    assert seats_of(decision)["new"].status is SeatStatus.SCORED
    assert dict(panel_faults(stage(SHADOW).panel))  # type: ignore[arg-type]


async def test_early_settlement_does_not_wait_for_a_shadow() -> None:
    judges = Waiting("a", 1, scores(0.9)), Waiting("new", FOREVER)
    decision = await decide(stage("a", SHADOW, settle=Settle.EARLY), *judges)
    assert decision.duration_seconds == 1.0
    assert seats_of(decision)["new"].status is SeatStatus.SKIPPED


async def test_a_shadow_is_counted_by_whether_it_agrees() -> None:
    recorder = Recorder(CollectorRegistry())
    judges = Instant("a", scores(0.9)), Instant("new", scores(0.1))
    await decide(stage("a", SHADOW), *judges, watcher=Both(recorder))
    await decide(stage("a", SHADOW), Instant("a", scores(0.2)), judges[1], watcher=Both(recorder))
    for agrees in ("yes", "no"):
        labels = {"judge": "new", "agrees": agrees}
        assert recorder.registry.get_sample_value("consensus_shadow_seats_total", labels) == 1
    labels = {"judge": "new", "outcome": "ok"}
    assert recorder.registry.get_sample_value("consensus_judge_calls_total", labels) == 2


class Both(Watcher):
    """A watcher that also tells a recorder of stages and seats."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        for step in ("seat_started", "seat_finished", "stage_finished"):
            setattr(self, step, getattr(recorder, step))
