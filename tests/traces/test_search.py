"""expand_trace and grep_trace, as a judge asks them; hostile questions included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.trace import Span, SpanEvent
from consensus.traces import Trace, expand_trace, grep_trace, span_text
from consensus.traces.cleaning import clean, texts
from tests.traces.building import SAMPLE, any_spans, law, span, tree

BUDGET = 16_384
TRACE = Trace.of(
    [
        *SAMPLE,
        span(
            "e4f56789",
            "failed.operation",
            1_600,
            1_700,
            "f0",
            {"error.type": "NetworkError"},
            events=(SpanEvent("token.generated", {"token": "The", "index": 0}),),
            failed=True,
            message="Connection refused",
        ),
    ]
)


@pytest.mark.parametrize("asked", ["e4f56789", "e4f5", "e4f5678900000000", "[E4F56789]", " e4f56 "])
def test_a_span_is_expanded_by_the_start_of_its_id(asked: str) -> None:
    found = expand_trace(TRACE, [asked])
    assert found.text == (
        "[e4f56789] 2023-11-14T22:13:21.600Z failed.operation (100ms) ⚠️ ERROR: Connection refused\n"
        "    error.type: NetworkError\n"
        "    [event] token.generated\n"
        "      token: The\n"
        "      index: 0"
    )
    assert (found.count, found.fault) == (1, False)


def test_several_spans_come_by_start_and_unknown_ids_are_named() -> None:
    found = expand_trace(TRACE, ["d3e4f567", "a0b1", "99999999", "zz zz"])
    lines = found.text.split("\n")
    assert lines[0] == '[No span has the id 99999999, "zz zz".]'
    heads = [line.split()[2] for line in lines if line.startswith(("[a", "[d"))]
    assert heads == ["llm.call", "llm.completion"]
    assert found.count == 2


@pytest.mark.parametrize("asked", [[], [""], ["a0b"], ["9999"], ["a0b1c2d3000000000"], ["*"]])
def test_what_names_no_span_is_answered_with_the_ids(asked: list[str]) -> None:
    found = expand_trace(TRACE, asked)
    assert found.text == (
        "Error: no span has such an id (4 digits at least). There are: "
        "f0000000, a0b1c2d3, c2d3e4f5, d3e4f567, e4f56789"
    )
    assert (found.count, found.fault) == (0, True)


def test_too_many_ids_are_refused() -> None:
    assert expand_trace(TRACE, ["a0b1"] * 101).text == "Error: 101 ids; 100 at most."


def test_all_spans_with_the_same_start_of_their_ids_are_expanded() -> None:
    trace = tree(span("abcd1111", "one"), span("abcd2222", "two"))
    assert expand_trace(trace, ["abcd"]).count == 2


def test_an_answer_is_cut_at_4096_tokens() -> None:
    trace = tree(*[span(f"abcd{n:04x}", attributes={"k": "x" * 3_000}) for n in range(50)])
    found = expand_trace(trace, ["abcd"])
    text, hint = found.text.split("\n\n[TRUNCATED] ")
    assert len(text) == BUDGET
    assert hint == (
        "More than 4096 tokens. Use grep_trace(pattern) to search for specific content, "
        "or expand_trace with fewer span ids."
    )
    assert found.count == 50


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("fetch_weather", ["tool.fetch_weather"]),
        ("FETCH_WEATHER", ["tool.fetch_weather"]),
        ("weather", ["llm.call", "tool.fetch_weather", "llm.completion"]),
        ('"city": "Paris"', ["tool.fetch_weather"]),
        ("22°c", ["llm.completion"]),
        ("token.generated", ["failed.operation"]),
        ("index: 0", ["failed.operation"]),
        ("connection REFUSED", ["failed.operation"]),
        ("agent", ["agent.run"]),
    ],
)
def test_a_search_names_the_spans_that_hold_the_pattern(pattern: str, names: list[str]) -> None:
    found = grep_trace(TRACE, pattern)
    heads = [line.split()[2] for line in found.text.split("\n") if line.startswith("---")]
    assert heads == names
    assert found.count == len(names)


def test_a_search_shows_the_lines_that_match() -> None:
    assert grep_trace(TRACE, "sunny").text == (
        "--- [c2d3e4f5] tool.fetch_weather (300ms) ---\n"
        '  tool.output: {"temp": 22, "condition": "sunny"}\n'
        "\n"
        "--- [d3e4f567] llm.completion (500ms) ---\n"
        '  gen_ai.completion: "The weather in Paris is sunny with a temperature of 22°C."'
    )


def test_a_search_finds_texts_as_they_are_and_as_they_are_told() -> None:
    trace = tree(span("a", attributes={"k": '[{"t": "he said \\"hi\\",\\nand left"}]'}))
    for pattern in ('said "hi"', r"said \"hi\"", '",\nand', r"\nand"):
        assert grep_trace(trace, pattern).count == 1


def test_a_search_without_a_match_tells_the_names_of_spans() -> None:
    found = grep_trace(TRACE, "no\nsuch")
    assert found.text == (
        r'No matches found for "no\nsuch". Available span names: agent.run, llm.call, '
        "tool.fetch_weather, llm.completion, failed.operation"
    )
    assert (found.count, found.fault) == (0, False)


def test_20_spans_are_shown_and_the_others_counted() -> None:
    attributes = {"a": "match one", "b": "match two"}
    spans = [span(f"{n:04x}", attributes=attributes) for n in range(1, 31)]
    found = grep_trace(Trace.of(spans), "match")
    assert found.text.count("---\n") == 20
    assert found.text.count("match") == 40 + 1
    assert found.text.endswith("[10 more matches omitted. Refine the pattern.]")
    assert found.count == 30
    assert "omitted" not in grep_trace(Trace.of(spans[:20]), "match").text


def test_of_a_long_line_what_surrounds_the_match_is_shown() -> None:
    trace = tree(span("a", attributes={"k": "a " * 50_000 + "needle" + " b" * 50_000}))
    text = grep_trace(trace, "NEEDLE").text
    assert "needle" in text
    assert len(text) < 500
    assert text.count("…") == 2


def test_the_answer_to_a_search_is_cut_too() -> None:
    wide = {f"key {n}": "match " + "x" * 300 for n in range(30)}
    trace = tree(*[span(f"{n:04x}", attributes=wide) for n in range(1, 21)])
    assert len(grep_trace(trace, "match").text) < BUDGET + 200


@pytest.mark.parametrize("length", [0, 1_001])
def test_a_pattern_has_1_to_1000_characters(length: int) -> None:
    found = grep_trace(TRACE, "x" * length)
    assert found.text == f"Error: the pattern has {length} characters; it must have 1 to 1000."
    assert found.fault


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", ".*" * 400, "[", "\\", "(?i)(?:x{99}){99}"]
)
def test_a_pattern_is_no_expression(pattern: str) -> None:
    text = "a" * 100_000
    trace = tree(span("aaaa", attributes={"k": text}), span("bbbb", "x " + pattern))
    assert grep_trace(trace, pattern).count == 1


def test_of_nothing_nothing_is_found() -> None:
    assert expand_trace(tree(), ["abcd"]).text == "No spans recorded."
    assert grep_trace(tree(), "x").text == "No spans recorded."


@law
@given(any_spans(), st.data())
def test_a_search_finds_what_is_there(spans: list[Span], data: st.DataObject) -> None:
    trace = Trace.of(spans)
    for one in trace.spans:
        held = [one.name, *one.attributes, *texts(clean(list(one.attributes.values())))]
        text = data.draw(st.sampled_from(held))
        if 0 < len(text) <= 1_000:
            assert text in span_text(one)
            assert grep_trace(trace, text).count >= 1


@law
@given(any_spans(), st.text(max_size=8), st.lists(st.text(max_size=20)))
def test_no_question_breaks_a_search(spans: list[Span], pattern: str, ids: list[str]) -> None:
    trace = Trace.of(spans)
    for found in (grep_trace(trace, pattern), expand_trace(trace, ids)):
        assert len(found.text) <= BUDGET + 200
        found.text.encode()
