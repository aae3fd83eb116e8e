"""Suspicion: a judge that answers everything alike is told of, and asked as before."""

from consensus.domain.gradient import Abstention
from consensus.judges.wrappers.breaker import Breaker
from consensus.judges.wrappers.suspicion import LATEST
from tests.builders import scores
from tests.judges.wrappers.scripted import GOOD, Told, ask, evaluation
from tests.judges.wrappers.test_breaker import breaking, calls


async def differently(breaker: Breaker, count: int) -> None:
    for number in range(count):
        await ask(breaker, evaluation(f"Candidate {number}."))


async def test_a_judge_that_became_constant_is_told_of_and_still_asked() -> None:
    told = Told()
    judge, breaker = breaking((0.1, scores(0.7, 0.5)), told=told)
    await differently(breaker, LATEST - 1)
    assert told.of("constant") == [("score", False), ("confidence", False)]
    await ask(breaker, evaluation("One more."))
    assert told.of("constant")[2:] == [("score", True), ("confidence", False)]
    assert await calls(breaker, 3) == [scores(0.7, 0.5)] * 3
    judge.then((0.1, scores(0.8, 0.5)))
    await ask(breaker, evaluation("Another."))
    assert told.of("constant")[4:] == [("score", False), ("confidence", False)]
    assert told.of("breaker") == ["closed"]


async def test_a_judge_that_is_always_certain_is_told_of() -> None:
    told = Told()
    plays = [(0.1, scores(number / 100)) for number in range(LATEST)]
    _, breaker = breaking(*plays, told=told)
    await differently(breaker, LATEST)
    assert told.of("constant")[2:] == [("score", False), ("confidence", True)]


async def test_the_same_submission_over_and_over_proves_nothing() -> None:
    told = Told()
    _, breaker = breaking((0.1, GOOD), told=told)
    await calls(breaker, LATEST * 2)
    assert len(told.of("constant")) == 2


async def test_abstentions_prove_nothing() -> None:
    told = Told()
    _, breaker = breaking((0.1, Abstention("cannot tell")), told=told)
    await differently(breaker, LATEST * 2)
    assert len(told.of("constant")) == 2
