"""The lines on stderr: JSON, bounded, and without the text of any exception."""

import asyncio
import io
import json
import logging
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from consensus.domain.decision import Verdict
from consensus.telemetry import logs
from consensus.telemetry.context import begin_trace
from consensus.telemetry.logs import structured_logs

SECRET = "sk-boom-secret"
log = logging.getLogger("consensus.test")


def keep_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back at the end what structured logs turn off for the whole process."""
    for name in ("logThreads", "logProcesses", "logMultiprocessing", "_srcfile"):
        monkeypatch.setattr(logging, name, getattr(logging, name))


class Written:
    """What was written, and how many lines were dropped."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.dropped = 0

    def drop(self) -> None:
        self.dropped += 1

    @contextmanager
    def at(self, level: str = "debug") -> Iterator[None]:
        with structured_logs(level, self.drop, self.stream):
            yield

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setattr(logs, "GATHER_SECONDS", 0)
    keep_logging(monkeypatch)
    return Written()


def test_a_line_is_one_json_object_with_level_logger_time_and_extras(written: Written) -> None:
    begin_trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    with written.at():
        log.info("two %s\nlines", "words", extra={"seats": ["a:scored"], "n": 3})
    (line,) = written.lines
    assert line.pop("timestamp").endswith("+00:00")
    assert line == {
        "level": "INFO",
        "logger": "consensus.test",
        "message": "two words\nlines",
        "seats": ["a:scored"],
        "n": 3,
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    }


def test_lines_below_the_level_are_not_written_and_the_level_is_put_back(written: Written) -> None:
    before = logging.getLogger().level
    with written.at("warning"):
        log.info("quiet")
        log.warning("loud")
    assert [line["message"] for line in written.lines] == ["loud"]
    assert logging.getLogger().level == before
    log.error("after the end")
    assert len(written.lines) == 1


def test_an_exception_is_told_by_type_and_place_without_its_text(written: Written) -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    with written.at():
        try:
            try:
                fail()
            except ValueError as error:
                raise RuntimeError(SECRET) from error
        except RuntimeError:
            log.exception("something broke")
    (line,) = written.lines
    assert "RuntimeError" in line["exc_info"]
    assert "ValueError" in line["exc_info"]
    assert "in fail" in line["exc_info"]
    assert SECRET not in written.stream.getvalue()


def test_causes_that_run_in_a_ring_are_told_once(written: Written) -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    with written.at():
        log.error("ring", exc_info=first)
    assert written.lines[0]["exc_info"] == "ValueError\nKeyError\n"


async def test_what_asyncio_says_of_a_lost_task_has_no_text_of_its_error(written: Written) -> None:
    with written.at():
        loop = asyncio.get_running_loop()
        error = ValueError(SECRET)
        future = loop.create_future()
        future.set_exception(error)
        context = {"message": "Task exception was never retrieved", "future": future}
        loop.default_exception_handler(context | {"exception": error})
        assert future.exception() is error
    (line,) = written.lines
    assert line["message"] == "Task exception was never retrieved"
    assert SECRET not in written.stream.getvalue()


def test_what_grpc_says_of_a_stream_cut_off_is_left_out(written: Written) -> None:
    with written.at():
        grpc_log = logging.getLogger("grpc._cython.cygrpc")
        grpc_log.error("Exception not handled by _handle_exceptions in servicer method [/x]")
        grpc_log.error("anything else")
    assert [line["message"] for line in written.lines] == ["anything else"]


class Slow(io.StringIO):
    """A stream whose reader does not read until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = threading.Event()
        self.reads = threading.Event()

    def write(self, text: str) -> int:
        self.waits.set()
        self.reads.wait()
        return super().write(text)


def test_what_a_slow_reader_leaves_no_room_for_is_dropped_and_counted(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "QUEUE_LINES", 3)
    written.stream = slow = Slow()
    with written.at():
        log.info("in hand")
        assert slow.waits.wait(20)
        for index in range(10):
            log.info("line %s", index)
        assert written.dropped == 7
        slow.reads.set()
    assert [line["message"] for line in written.lines] == ["in hand", "line 0", "line 1", "line 2"]


@pytest.mark.parametrize("queued", [1, 3])
def test_a_reader_that_has_stopped_reading_does_not_hold_up_the_end(
    written: Written, monkeypatch: pytest.MonkeyPatch, queued: int
) -> None:
    monkeypatch.setattr(logs, "QUEUE_LINES", 3)
    monkeypatch.setattr(logs, "FLUSH_SECONDS", 0.01)
    written.stream = slow = Slow()
    with written.at():
        log.info("in hand")
        assert slow.waits.wait(20)
        for _ in range(queued):
            log.info("queued")
    assert written.lines == []
    slow.reads.set()


class Broken(io.StringIO):
    """A stream that never takes one of the lines."""

    def write(self, text: str) -> int:
        if "lost" in text:
            raise BrokenPipeError(SECRET)
        return super().write(text)


def test_a_line_that_cannot_be_written_is_counted_and_costs_no_other(written: Written) -> None:
    written.stream = Broken()
    with written.at():
        log.info("lost")
        log.info("after")
    assert [line["message"] for line in written.lines] == ["after"]
    assert written.dropped == 1


def test_a_value_that_is_no_json_is_written_as_text(written: Written) -> None:
    with written.at():
        log.info("a path", extra={"file": Path("policy.yaml")})
    assert written.lines[0]["file"] == "policy.yaml"
    assert written.dropped == 0


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("p\udcff.yaml", "p\udcff.yaml", id="half a character"),
        pytest.param({"\udcff": [1, "\ud800"]}, {"\udcff": [1, "\ud800"]}, id="deep inside"),
        pytest.param(Path("p\udcff.yaml"), "p\udcff.yaml", id="a file's name of other bytes"),
        pytest.param(1 << 70, 1 << 70, id="a huge number"),
        pytest.param(math.nan, None, id="not a number"),
        pytest.param({Path("a"): Verdict.ACCEPT, None: ()}, {"a": "accept", "None": []}, id="keys"),
        pytest.param(ValueError("words"), "words", id="an error"),
    ],
)
def test_no_value_costs_a_line(written: Written, value: object, told: object) -> None:
    with written.at():
        log.info("told", extra={"value": value})
    assert written.lines[0]["value"] == told
    assert written.dropped == 0
    written.stream.getvalue().encode()  # for a reader of UTF-8


def test_logging_begun_again_works_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_logging(monkeypatch)
    for _ in range(2):
        written = Written()
        with written.at():
            log.info("once")
        assert [line["message"] for line in written.lines] == ["once"]
