"""The audit's lines as they are written: JSON, with a level of its own, the fields of the page."""

import io
import json

import pytest

from consensus.cascade import Engine
from consensus.domain.decision import Hierarchy
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.policy import Action
from consensus.domain.ports import Observer
from consensus.telemetry import logs
from consensus.telemetry.audit import EVENTS, AuditLog
from consensus.telemetry.context import begin_trace, current_trace_id
from consensus.telemetry.logs import structured_logs
from consensus.telemetry.observers import NestedObservers, Observers
from tests.builders import Instant, Watcher, bench, policy, scores, stage, submission
from tests.virtual_clock import VirtualClock

JUDGES = [
    Instant("good", scores(0.9, 0.8)),
    Instant("down", JudgeFailed(FailureKind.OVERLOADED, "SENTINEL")),
]
COMMON = {"timestamp", "level", "logger", "message", "trace_id"}


async def written(observer: Observer, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Judge once by two stages and return the lines."""
    monkeypatch.setattr(logs, "_gather_less", lambda: None)
    monkeypatch.setattr(logs, "GATHER_SECONDS", 0)
    stream = io.StringIO()
    single = stage("good", name="one", on_pass=Action.ADVANCE)
    rules = policy(single, stage("good", "down", name="two"))
    with structured_logs("error", lambda: None, stream):
        begin_trace("")
        engine = Engine(VirtualClock(), lambda: "d1")
        await engine.judge(submission(), rules, bench(JUDGES), observer, budget_seconds=9)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def audit() -> AuditLog:
    return AuditLog(VirtualClock().now)


async def test_every_line_has_the_fields_of_the_page_at_any_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = await written(audit(), monkeypatch)
    fields = {event.name: set(event.fields) | COMMON for event in EVENTS}
    assert {line["message"] for line in lines} == set(fields)
    for line in lines:
        assert set(line) == fields[str(line["message"])]
        assert (line["level"], line["logger"]) == ("INFO", "consensus.audit")
        assert line["trace_id"] == current_trace_id()
    assert "SENTINEL" not in str(lines)


async def test_a_line_reads_as_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = await written(audit(), monkeypatch)
    told = [line for line in lines if line["message"] in ("execution_finished", "judge_fault")]
    for line in told:
        for name in (*COMMON - {"message"}, "start", "end"):
            line.pop(name, None)
    place = {"parent_decision_id": "d1", "depth": 1, "path": ["d1"], "policy": "rules"}
    failed = place | {"execution_id": "d1/two/1", "stage": "two", "judge": "down"}
    failed |= {"failure": "overloaded"}
    nothing = {"score": None, "confidence": None}
    assert told[-2:] == [
        {"message": "execution_finished", "status": "failed"} | failed | nothing,
        {"message": "judge_fault"} | failed,
    ]


@pytest.mark.parametrize("kind", [Observers, NestedObservers])
async def test_observers_side_by_side_hear_all_of_it_once(
    monkeypatch: pytest.MonkeyPatch, kind: type[Observers]
) -> None:
    watcher = Watcher()
    lines = await written(kind(watcher, audit()), monkeypatch)
    alone = await written(audit(), monkeypatch)
    assert [line["message"] for line in lines] == [line["message"] for line in alone]
    assert len(watcher.finished) == 3
    assert watcher.balanced


def test_observers_that_hear_every_decision_alike_are_made_once() -> None:
    observers = Observers(Watcher())
    assert observers.begun(policy(stage("a")), Hierarchy("d1", 1, ("d1",))) is observers
