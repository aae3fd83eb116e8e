"""The digest: Scenario's sample to the byte, every row of its rules, and the budget as a law."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.trace import Span, SpanEvent
from consensus.traces import Trace, digest
from consensus.traces.words import one_line
from tests.traces.building import SAMPLE, STRUCTURE_SAMPLE, any_spans, law, span, tree, used

PAGE = """\
agent.run (2.00s)
├── [a0b1c2d3] llm.call (400ms)
│     model: gpt-4
│     gen_ai.prompt: "What is the weather in Paris?"
│     gen_ai.completion: "Let me check the weather for you."
├── [c2d3e4f5] tool.fetch_weather (300ms)
│     tool.name: fetch_weather
│     tool.input: {"city": "Paris"}
│     tool.output: {"temp": 22, "condition": "sunny"}
└── [d3e4f567] llm.completion (500ms)
      gen_ai.prompt: "Summarize the weather report"
      gen_ai.completion: "The weather in Paris is sunny with a temperature of 22°C."
"""
STRUCTURE_PAGE = """\
agent.run (2.00s)
├── [a0b1c2d3] llm.call (400ms, 1500 tokens)
├── [c2d3e4f5] tool.fetch_weather (300ms)
├── [d3e4f567] llm.completion (500ms, 800 tokens)
└── [e4f56789] failed.operation (100ms) ⚠️ ERROR: Connection refused

Use expand_trace(span_id) to see span details or grep_trace(pattern) to search across spans.
"""
FRAMED = """\
Spans: 2 | Total Duration: 1.50s

[f0000000] 2023-11-14T22:13:20.000Z agent.run (1.50s)
    agent.type: rag
└── [e4f56789] 2023-11-14T22:13:21.050Z failed.operation (100ms) ⚠️ ERROR: Connection refused
      [event] exception
        exception.type: NetworkError

=== ERRORS ===
- failed.operation: Connection refused"""


def test_the_sample_of_scenario_s_page_to_the_byte() -> None:
    told = digest(Trace.of(SAMPLE), bare=True)
    assert told.text + "\n" == PAGE
    assert told.whole


def test_the_structure_sample_of_scenario_s_page_to_the_byte() -> None:
    told = digest(Trace.of(STRUCTURE_SAMPLE), full_tokens=0, bare=True)
    assert told.text + "\n" == STRUCTURE_PAGE
    assert not told.whole


def test_header_times_ids_and_errors_stand_around_the_tree() -> None:
    failure = span(
        "e4f56789",
        "failed.operation",
        1_050,
        1_150,
        "f0",
        events=(SpanEvent("exception", {"exception.type": "NetworkError"}),),
        failed=True,
        message="Connection refused",
    )
    trace = tree(span("f0", "agent.run", 0, 1_500, attributes={"agent.type": "rag"}), failure)
    assert digest(trace).text == FRAMED


def test_nothing_is_said_to_be_nothing() -> None:
    told = digest(tree())
    assert (told.text, told.whole, told.tokens) == ("No spans recorded.", True, 5)


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        (0, "0ms"),
        (999, "999ms"),
        (1_000, "1.00s"),
        (2_050, "2.05s"),
        (65_432, "65.43s"),
        (-5, "-5ms"),
        (None, "unfinished"),
    ],
)
def test_a_duration_is_whole_milliseconds_below_a_second(end: int | None, shown: str) -> None:
    assert digest(tree(span("f0", "step", 0, end)), bare=True).text == f"step ({shown})"


def test_the_total_lasts_from_the_first_start_to_the_last_end() -> None:
    trace = tree(span("a", "x", 100, 400), span("b", "y", 50, 200), span("c", "z", 900, None))
    assert digest(trace).text.startswith("Spans: 3 | Total Duration: 850ms\n")


def test_an_error_without_words_is_unknown() -> None:
    text = digest(tree(span("a", "x", failed=True))).text
    assert text.endswith("x (100ms) ⚠️ ERROR: unknown\n\n=== ERRORS ===\n- x: unknown error")


@pytest.mark.parametrize(("extra", "whole"), [(0, True), (1, False)])
def test_details_are_told_up_to_32768_characters(extra: int, whole: bool) -> None:
    frame = len(digest(tree(span("a", attributes={"k": "x"}))).text) - 1
    told = digest(tree(span("a", attributes={"k": "x" * (32_768 - frame + extra)})))
    assert told.whole is whole
    if whole:
        assert (len(told.text), told.tokens) == (32_768, 8_192)
    else:
        assert "expand_trace" in told.text


@pytest.mark.parametrize("numbers", [(-1, 2_000), (8_192, 1_023)])
def test_a_budget_that_holds_nothing_is_refused(numbers: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=rf"full_tokens is {numbers[0]} and structure_tokens"):
        digest(tree(), *numbers)


@pytest.mark.parametrize("count", ["x", -1.5, None, "9" * 30, "²", 10**4299, -(10**4299)])
def test_tokens_that_are_no_number_are_not_told(count: object) -> None:
    told = digest(tree(span("a", attributes=used(count, 7))), full_tokens=0)
    assert "step (100ms, 7 tokens)" in told.text
    assert "tokens)" not in digest(tree(span("a", attributes=used(count, count))), 0).text


def test_the_middle_of_a_long_tree_is_left_out_and_counted() -> None:
    spans = [span(f"{n:08x}", f"step {n}", n, n + 100) for n in range(1, 501)]
    told = digest(tree(*spans), full_tokens=0, structure_tokens=1_024)
    lines = told.text.splitlines()
    shown = [line for line in lines if " step " in line]
    assert told.tokens <= 1_024
    assert "step 1 " in shown[0]
    assert "step 500 " in shown[-1]
    left_out = f"{500 - len(shown)} spans left out; grep_trace and expand_trace reach them"
    assert f"... [{left_out}] ..." in lines
    assert lines[0] == "Spans: 500 | Total Duration: 599ms"


def test_long_texts_are_cut_in_the_tree_alone() -> None:
    one = span("a", "n" * 300, failed=True, message="m" * 600)
    brief, full = digest(tree(one), full_tokens=0).text, digest(tree(one)).text
    assert "n" * 200 + "… (" in brief
    assert "m" * 501 not in brief
    assert "n" * 300 + " (" in full
    assert "ERROR: " + "m" * 600 in full


def test_escapes_are_the_same_in_a_text_of_any_length() -> None:
    name = "\x1b\n°" * 50_000
    assert one_line(name) == "\\u001b\\n°" * 50_000


def test_nothing_in_a_span_can_forge_a_line() -> None:
    forged = "x\n\n=== ERRORS ===\r\u2028- y: z\u202e\x1b[2J\ud800"
    one = span(
        "a",
        forged,
        attributes={forged: forged, "image": {"type": "file", "mediaType": forged, "data": "A"}},
        events=(SpanEvent(forged, {"k": [forged]}),),
        failed=True,
        message=forged,
    )
    for told in (digest(tree(one)), digest(tree(one), full_tokens=0)):
        assert told.text.splitlines().count("=== ERRORS ===") == 1
        assert not {"\r", "\u2028", "\u202e", "\x1b"} & set(told.text)
        told.text.encode()


@law
@given(any_spans(), st.integers(0, 2_000), st.integers(1_024, 1_500), st.booleans())
def test_the_budget_is_kept_and_every_span_is_told(
    spans: list[Span], full: int, structure: int, bare: bool
) -> None:
    trace = Trace.of(spans)
    told = digest(trace, full, structure, bare=bare)
    lines = told.text.split("\n")
    if trace.spans:
        assert told.tokens <= (full if told.whole else structure)
    heads = sum(any(mark in line for mark in ("ms", "s)", "unfinished")) for line in lines)
    assert heads >= len(trace.spans)
    assert ("expand_trace" in told.text) >= (not told.whole)
    if not bare:
        at = lines.index("=== ERRORS ===") if "=== ERRORS ===" in lines else len(lines)
        assert len(lines[at + 1 :]) == sum(each.failed for each in trace.spans)


@law
@given(any_spans())
def test_the_smaller_of_two_budgets_never_tells_more(spans: list[Span]) -> None:
    trace = Trace.of(spans)
    wholes = [digest(trace, full).whole for full in (0, 50, 100, 500, 8_192)]
    assert wholes == sorted(wholes)
