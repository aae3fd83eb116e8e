"""What judges use becomes counters: tokens by kind, money, and who was not asked for want of it."""

from prometheus_client import CollectorRegistry

from consensus.domain.decision import (
    Consensus,
    GateAnswer,
    GateResult,
    SeatResult,
    SeatStatus,
    StageResult,
)
from consensus.domain.gradient import Failure, FailureKind, Usage
from consensus.domain.policy import StrategyName
from consensus.telemetry.metrics import Instruments
from consensus.telemetry.usage import UsageRecorder


def seat(judge: str = "j", **more: object) -> SeatResult:
    fields = {"judge": judge, "weight": 1.0, "status": SeatStatus.SCORED, "attempts": 1} | more
    return SeatResult(**fields)  # type: ignore[arg-type]


class Counting:
    """A usage recorder, of which `panel` is a nested policy, and its counters."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        instruments = Instruments(self._registry)
        self.observer = UsageRecorder(instruments, lambda judge: judge == "panel")

    def value(self, name: str, **labels: str) -> float | None:
        return self._registry.get_sample_value(f"consensus_{name}_total", {"judge": "j"} | labels)


def test_tokens_are_counted_by_kind() -> None:
    counting = Counting()
    used = Usage(input_tokens=10, cached_input_tokens=4, output_tokens=3, reasoning_tokens=1)
    for _ in range(2):
        counting.observer.seat_finished("s", seat(usage=used))
    kinds = ("input", "cached_input", "cache_write", "output", "reasoning")
    seen = {kind: counting.value("judge_tokens", kind=kind) for kind in kinds}
    assert seen == {
        "input": 20,
        "cached_input": 8,
        "cache_write": None,
        "output": 6,
        "reasoning": 2,
    }


def test_an_unknown_cost_is_counted_as_unknown_and_not_as_nothing() -> None:
    counting = Counting()
    for cost in (0.25, 0.5, None):
        counting.observer.seat_finished("s", seat(usage=Usage(cost_usd=cost)))
    assert counting.value("judge_cost_usd") == 0.75
    assert counting.value("judge_cost_unknown") == 1


def test_a_seat_without_a_model_counts_nothing() -> None:
    counting = Counting()
    counting.observer.seat_finished("s", seat())
    assert counting.value("judge_cost_usd") is None


def test_a_nested_policys_usage_stands_at_its_judges_alone() -> None:
    counting = Counting()
    for judge in ("j", "panel"):
        counting.observer.seat_finished("s", seat(judge, usage=Usage(cost_usd=0.5)))
    assert counting.value("judge_cost_usd") == 0.5
    assert counting.value("judge_cost_usd", judge="panel") is None


def test_seats_that_a_limit_kept_from_being_asked_are_counted() -> None:
    counting = Counting()
    too_dear = Failure(FailureKind.SPEND_LIMIT, "could cost $1")
    failed = {"status": SeatStatus.FAILED, "answer": too_dear}
    seats = (
        seat(attempts=0, **failed),
        seat("panel", **failed),
        seat("k", attempts=0, status=SeatStatus.FAILED, answer=Failure(FailureKind.ERROR, "")),
    )
    gate = GateResult(
        answer=GateAnswer.FAIL,
        score_ok=False,
        confidence_ok=True,
        agreement_ok=True,
        criteria_ok=True,
        quorum_ok=True,
        seats_ok=True,
    )
    panel = Consensus(strategy=StrategyName.MEDIAN, threshold=0.7, seats=seats, coverage=0.0)
    counting.observer.stage_finished("p", StageResult(stage="s", gate=gate, consensus=panel))
    counting.observer.stage_finished("p", StageResult(stage="checks", gate=gate))
    assert counting.value("spend_refused") == 1
    assert counting.value("spend_refused", judge="panel") is None
    assert counting.value("spend_refused", judge="k") is None
