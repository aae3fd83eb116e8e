"""Spans in few words, Scenario's sample, and Hypothesis strategies of spans and values."""

from collections.abc import Mapping
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from consensus.domain.trace import Span, SpanEvent
from consensus.traces import Trace

law = settings(max_examples=50)

START = 1_700_000_000_000_000_000
"""2023-11-14T22:13:20Z in nanoseconds."""
MS = 1_000_000
TRACE = "5b8efff798038103d269b633813fc60c"


def span(
    span_id: str,
    name: str = "step",
    start: int = 0,
    end: int | None = 100,
    parent: str = "",
    attributes: Mapping[str, object] | None = None,
    **more: Any,
) -> Span:
    """Make a span: ids are filled up with zeros, `start` and `end` are milliseconds."""
    return Span(
        **{"trace_id": TRACE} | more,
        span_id=span_id.ljust(16, "0"),
        parent_id=parent.ljust(16, "0") if parent else "",
        name=name,
        start_ns=START + start * MS,
        end_ns=0 if end is None else START + end * MS,
        attributes=attributes or {},
    )


def tree(*spans: Span) -> Trace:
    return Trace.of(spans)


def used(tokens_in: object, tokens_out: object) -> dict[str, object]:
    """Return the tokens of a span as attributes."""
    return {"gen_ai.usage.input_tokens": tokens_in, "gen_ai.usage.output_tokens": tokens_out}


SAMPLE = (
    span("f0", "agent.run", 0, 2_000),
    span(
        "a0b1c2d3",
        "llm.call",
        100,
        500,
        "f0",
        {
            "model": "gpt-4",
            "gen_ai.prompt": "What is the weather in Paris?",
            "gen_ai.completion": "Let me check the weather for you.",
        },
    ),
    span(
        "c2d3e4f5",
        "tool.fetch_weather",
        600,
        900,
        "f0",
        {
            "tool.name": "fetch_weather",
            "tool.input": '{"city": "Paris"}',
            "tool.output": '{"temp": 22, "condition": "sunny"}',
        },
    ),
    span(
        "d3e4f567",
        "llm.completion",
        1_000,
        1_500,
        "f0",
        {
            "gen_ai.prompt": "Summarize the weather report",
            "gen_ai.completion": "The weather in Paris is sunny with a temperature of 22°C.",
        },
    ),
)
"""Scenario's sample in full."""

STRUCTURE_SAMPLE = (
    span("f0", "agent.run", 0, 2_000),
    span("a0b1c2d3", "llm.call", 100, 500, "f0", used(1_200, "300")),
    span("c2d3e4f5", "tool.fetch_weather", 600, 900, "f0"),
    span("d3e4f567", "llm.completion", 1_000, 1_500, "f0", used(800, None)),
    span(
        "e4f56789",
        "failed.operation",
        1_600,
        1_700,
        "f0",
        failed=True,
        message="Connection refused",
    ),
)
"""Its sample of the structure alone."""
"""The trace of Scenario's page."""

_TEXTS = st.text(max_size=80) | st.sampled_from(
    ["x" * 60, '{"a": ["b", {"c": "quoted \\"text\\""}]}', "two\nlines", "[not json]", "ẞ and ß"]
)
VALUES = st.recursive(
    _TEXTS | st.integers() | st.booleans() | st.none() | st.floats() | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
ATTRIBUTES = st.dictionaries(_TEXTS, VALUES, max_size=3)
_IDS = st.sampled_from([f"{number:04x}" for number in range(1, 13)])


@st.composite
def any_spans(draw: st.DrawFn) -> list[Span]:
    """Spans that may claim any parents, themselves included, and come twice."""
    held = draw(st.lists(ATTRIBUTES, min_size=1, max_size=3))
    names = draw(st.lists(_TEXTS, min_size=1, max_size=3))
    name, attributes = st.sampled_from(names), st.sampled_from(held)
    return [
        span(
            draw(_IDS),
            draw(name),
            draw(st.integers(0, 5)),
            draw(st.integers(0, 5_000) | st.none()),
            draw(_IDS | st.just("")),
            draw(attributes),
            events=tuple(
                SpanEvent(draw(name), draw(attributes)) for _ in range(draw(st.integers(0, 1)))
            ),
            failed=draw(st.booleans()),
            message=draw(name),
            trace_id=draw(st.sampled_from([TRACE, "1" * 32])),
        )
        for _ in range(draw(st.integers(0, 12)))
    ]
