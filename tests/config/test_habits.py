"""Habits as written: their defaults, and numbers that cannot be."""

from typing import Any

import pytest

from consensus.domain.judges import (
    BreakerHabit,
    CacheHabit,
    Habits,
    HedgeHabit,
    LimitHabit,
    RetryHabit,
)
from tests.config.policies import faults, parsed, rules


def written(**habits: Any) -> str:
    judge = {"kind": "remote", "target": "dns:///judge:50061", **habits}
    return rules(judges={"judge": judge})


def test_a_judge_has_no_habits_unless_told() -> None:
    assert parsed(written()).judges["judge"].habits == Habits()


def test_each_habit_has_the_defaults_that_the_code_has() -> None:
    text = written(
        limit={"concurrency": 8}, retry={}, hedge={}, breaker={}, cache={"ttl_seconds": 300}
    )
    assert parsed(text).judges["judge"].habits == Habits(
        limit=LimitHabit(concurrency=8),
        retry=RetryHabit(),
        hedge=HedgeHabit(),
        breaker=BreakerHabit(),
        cache=CacheHabit(ttl_seconds=300),
    )


@pytest.mark.parametrize(
    ("habits", "place", "words"),
    [
        ({"limit": {}}, "limit.concurrency", "missing"),
        ({"limit": {"concurrency": 0}}, "limit.concurrency", "1"),
        ({"limit": {"concurrency": 4, "max_wait_share": 1.5}}, "limit.max_wait_share", "1"),
        ({"retry": {"cap_seconds": 0.1}}, "retry.cap_seconds", "at least base_seconds (0.2)"),
        ({"retry": {"base_seconds": 0}}, "retry.base_seconds", "above 0"),
        ({"retry": {"budget_share": 0}}, "retry.budget_share", "above 0"),
        ({"retry": {"attempts": 3}}, "retry.attempts", "is not a key here"),
        ({"hedge": {"quantile": None}}, "hedge.quantile", "number"),
        ({"hedge": {"quantile": 1}}, "hedge.quantile", "below 1"),
        ({"hedge": {"max_share": 0.6}}, "hedge.max_share", "0.5"),
        ({"breaker": {"failure_share": 0}}, "breaker.failure_share", "above 0"),
        (
            {"breaker": {"open_seconds": 60, "max_open_seconds": 30}},
            "breaker.max_open_seconds",
            "at least open_seconds (60)",
        ),
        ({"cache": {}}, "cache.ttl_seconds", "missing"),
        ({"cache": {"ttl_seconds": 60, "max_bytes": 10}}, "cache.max_bytes", "1024"),
    ],
)
def test_a_number_that_cannot_be_is_told_with_its_place(
    habits: dict[str, Any], place: str, words: str
) -> None:
    (fault,) = faults(written(**habits))
    assert f"judges.judge.{place}: " in fault
    assert words in fault
