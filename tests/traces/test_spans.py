"""The tree: every span once, in order, whatever its parents claim."""

import pytest
from hypothesis import given

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, TraceLimits
from consensus.traces import Trace
from tests.traces.building import any_spans, law, span, tree


def drawn(trace: Trace) -> list[str]:
    return [place.branch + place.span.name for place in trace.places]


def test_children_stand_under_their_parent_by_start() -> None:
    trace = tree(
        span("c", "second", 20, parent="a"),
        span("d", "inner", 12, parent="b"),
        span("e", "innermost", 13, parent="d"),
        span("b", "first", 10, parent="a"),
        span("a", "root", 0),
    )
    assert drawn(trace) == [
        "root",
        "├── first",
        "│   └── inner",
        "│       └── innermost",
        "└── second",
    ]
    names = [each.name for each in trace.spans]
    assert names == ["root", "first", "inner", "innermost", "second"]


def test_a_parent_that_is_not_there_makes_a_root() -> None:
    trace = tree(span("b", "orphan", 5, parent="99"), span("a", "root", 0))
    assert drawn(trace) == ["root", "orphan"]


def test_spans_that_start_together_stay_as_they_came() -> None:
    names = ["x", "c", "m", "a"]
    trace = tree(*[span(f"{number}f", name) for number, name in enumerate(names)])
    assert drawn(trace) == names


def test_a_span_that_comes_twice_counts_once_and_the_later_end_wins() -> None:
    trace = tree(span("a", "early", end=None), span("a", "late", end=9), span("a", "old", end=3))
    assert drawn(trace) == ["late"]


def test_two_traces_may_use_the_same_span_ids() -> None:
    other = span("b", "other child", 5, parent="a", trace_id="1" * 32)
    trace = tree(span("a", "root"), span("b", "child", 1, parent="a"), other)
    assert drawn(trace) == ["root", "└── child", "other child"]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([span("a", "own parent", parent="a")], ["own parent"]),
        (
            [span("a", "one", 2, parent="b"), span("b", "two", 1, parent="a")],
            ["two", "└── one"],
        ),
        (
            [
                span("e", "below", 0, parent="a"),
                span("a", "one", 3, parent="c"),
                span("b", "two", 2, parent="a"),
                span("c", "three", 4, parent="b"),
                span("d", "root", 9),
            ],
            ["two", "└── three", "    └── one", "        └── below", "root"],
        ),
    ],
    ids=["itself", "each other", "three, and one below them"],
)
def test_a_circle_of_parents_begins_with_its_first_span(
    spans: list[Span], expected: list[str]
) -> None:
    assert drawn(tree(*spans)) == expected


@law
@given(any_spans())
def test_every_span_is_drawn_once(spans: list[Span]) -> None:
    trace = Trace.of(spans)
    keys = {(each.trace_id, each.span_id) for each in spans}
    for found in (trace.spans, [place.span for place in trace.places]):
        assert len(found) == len(keys)
        assert {(each.trace_id, each.span_id) for each in found} == keys
    starts = [each.start_ns for each in trace.spans]
    assert starts == sorted(starts)


@law
@given(any_spans())
def test_a_tree_of_the_tree_is_the_same(spans: list[Span]) -> None:
    once = Trace.of(spans)
    assert Trace.of(once.spans) == once


def test_more_spans_than_allowed_are_refused() -> None:
    spans = [span("a"), span("b"), span("c")]
    assert len(Trace.of(spans, TraceLimits(spans=3)).spans) == 3
    with pytest.raises(TraceUnusable, match=r"^has 3 spans; 2 at most$"):
        Trace.of(spans, TraceLimits(spans=2))


def test_a_tree_deeper_than_allowed_is_refused_by_the_span() -> None:
    spans = [span(f"{n:04x}", parent=f"{n - 1:04x}" if n > 1 else "") for n in range(1, 130)]
    assert len(Trace.of(spans[:128]).places) == 128
    with pytest.raises(TraceUnusable, match=r"^span 0081000000000000 is nested 129 deep; 128 at"):
        Trace.of(spans)


def test_a_tree_may_be_deeper_than_python_calls() -> None:
    spans = [span(f"{n:04x}", parent=f"{n - 1:04x}" if n > 1 else "") for n in range(1, 3_000)]
    assert len(Trace.of(spans, TraceLimits(depth=3_000)).places) == 2_999
