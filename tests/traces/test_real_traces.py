"""Twenty real traces of eighteen frameworks, rebuilt into OTLP and told."""

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from consensus.domain.trace import Span
from consensus.traces import Trace, digest, expand_trace, grep_trace
from consensus.wire.otlp import Encoding, spans_from
from examples.replay.option import DATA
from tests.wire.otlp_documents import json_bytes, protobuf_bytes

FILE = DATA.parent / "otel_langfuse_traces.jsonl.gz"
pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="the real traces (otel_langfuse_traces.jsonl.gz) are not here"
)


def rows() -> Iterator[dict[str, Any]]:
    if FILE.exists():
        with gzip.open(FILE, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def rebuilt(row: dict[str, Any]) -> list[Span]:
    """Return the spans that the row was made from."""
    return [
        Span(
            trace_id=each["traceId"],
            span_id=each["id"],
            parent_id=each["parentObservationId"] or "",
            name=each["name"],
            start_ns=nanoseconds(each["startTime"]),
            end_ns=nanoseconds(each["endTime"]),
            attributes=attributes(each),
        )
        for each in row["trace"]["observations"]
    ]


def attributes(observation: dict[str, Any]) -> dict[str, object]:
    """Return the raw attributes, and the texts that were taken out of them."""
    metadata = observation["metadata"]
    metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    texts = {key: observation[key] for key in ("input", "output") if observation[key]}
    return metadata.get("attributes", {}) | texts


def nanoseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1_000) * 1_000_000


@pytest.fixture(scope="module", params=rows(), ids=lambda row: row["item_id"])
def spans(request: pytest.FixtureRequest) -> tuple[Span, ...]:
    """One trace, with an error in its last span, through OTLP/JSON."""
    made = rebuilt(request.param)
    made[-1] = replace(made[-1], failed=True, message="rate limit reached")
    return spans_from(json_bytes(made), Encoding.JSON)


def test_every_span_is_told_once_within_the_budget(spans: tuple[Span, ...]) -> None:
    trace = Trace.of(spans)
    told = digest(trace)
    assert told.tokens <= 8_192
    heads = [line for line in told.text.split("\n") if line.lstrip("│ ├└─").startswith("[")]
    for span in spans:
        assert sum(f"[{span.span_id[:8]}] " in line for line in heads) == 1
    assert told.text.endswith(f"=== ERRORS ===\n- {spans[-1].name}: rate limit reached")
    assert f"Spans: {len(spans)} | " in told.text


def test_every_span_can_be_expanded_and_found(spans: tuple[Span, ...]) -> None:
    trace = Trace.of(spans)
    for span in spans:
        assert expand_trace(trace, [span.span_id]).count == 1
        assert grep_trace(trace, span.name.upper()).count >= 1


def test_protobuf_says_the_same(spans: tuple[Span, ...]) -> None:
    assert spans_from(protobuf_bytes(spans), Encoding.PROTOBUF) == spans
