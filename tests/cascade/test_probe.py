import asyncio, pytest, anyio
from tests.builders import *
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import *
def show(d):
    print(d.verdict, d.reasons, d.duration_seconds)
    for s in d.stages[-1].consensus.seats: print("  ", s.judge, s.status, s.answer, s.duration_seconds, s.attempts, s.struck)

async def test_stray():
    d = await decide(stage("a","b","c"), Waiting("a",1,asyncio.CancelledError()), Waiting("b",2,scores(.9)), Instant("c",scores(.9)))
    show(d)
async def test_instant_stray():
    d = await decide(stage("a","b"), Instant("a",asyncio.CancelledError()), Waiting("b",2,scores(.9)))
    show(d)
async def test_timeouterror():
    d = await decide(stage("a","b"), Waiting("a",1,TimeoutError("secret")), Waiting("b",2,scores(.9)))
    show(d)
async def test_budget():
    d = await decide(stage("a","b"), Waiting("a",1,scores(.9)), Waiting("b",20,scores(.9)), seconds=2)
    show(d)
@pytest.mark.parametrize("x", [scores("high"), scores(float("nan")), scores(.5, reasoning=None), scores(.5, findings=(Finding(criterion_id="C1", status="met"),)), scores(.5, metadata={"a": 1}), scores(.5, reasoning="\ud800"), Abstention(None), 5, None, scores(.5, signals=(Signal("a", "b"),))], ids=str)
async def test_lies(x):
    from consensus.wire.decision import decision_to
    d = await decide(stage("a","b"), Instant("a",x), Waiting("b",1,scores(.9)), about=submission(rubric=criteria("C1")))
    show(d)
    decision_to(d)
