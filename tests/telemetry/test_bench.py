"""What habits tell becomes metrics, judge by judge."""

from collections.abc import Callable

import pytest

from consensus.telemetry.bench import BenchRecorder
from consensus.telemetry.recorder import Recorder

Value = Callable[..., float | None]


@pytest.fixture
def habits(recorder: Recorder) -> BenchRecorder:
    return BenchRecorder(recorder.instruments)


def test_retries_hedges_and_look_ups_are_counted(habits: BenchRecorder, value: Value) -> None:
    for _ in range(2):
        habits.retried("a", "error")
    habits.hedged("a", "won")
    habits.cached("a", "hit")
    assert value("consensus_judge_retries_total", judge="a", reason="error") == 2
    assert value("consensus_judge_hedges_total", judge="a", result="won") == 1
    assert value("consensus_judge_cache_total", judge="a", result="hit") == 1
    assert value("consensus_judge_retries_total", judge="b", reason="error") is None


def test_a_breaker_is_in_one_state_at_a_time(habits: BenchRecorder, value: Value) -> None:
    states = ("closed", "open", "half_open")
    for state in states:
        habits.breaker("a", state)
        shown = {s: value("consensus_judge_breaker_state", judge="a", state=s) for s in states}
        assert shown == {s: float(s == state) for s in states}


def test_the_limit_and_those_who_wait_for_it_are_shown(habits: BenchRecorder, value: Value) -> None:
    habits.limited("a", 8)
    for change in (0, 1, 1, -1):
        habits.waiting("a", change)
    assert value("consensus_judge_limit", judge="a") == 8
    assert value("consensus_judge_waiting", judge="a") == 1


def test_the_hedging_delay_is_shown(habits: BenchRecorder, value: Value) -> None:
    habits.hedging_delay("a", 0.25)
    assert value("consensus_hedging_delay_seconds", judge="a") == 0.25


def test_suspicions_come_and_go(habits: BenchRecorder, value: Value) -> None:
    habits.constant("a", "score", True)
    assert value("consensus_judge_constant", judge="a", what="score") == 1
    habits.constant("a", "score", False)
    assert value("consensus_judge_constant", judge="a", what="score") == 0


def test_the_items_of_calls_are_counted_by_size(habits: BenchRecorder, value: Value) -> None:
    for items in (1, 5, 5):
        habits.called("judges:50061", items)
    name, target = "consensus_judge_batch_items", "judges:50061"
    assert value(f"{name}_sum", target=target) == 11
    assert value(f"{name}_bucket", target=target, le="1.0") == 1
    assert value(f"{name}_bucket", target=target, le="8.0") == 3
