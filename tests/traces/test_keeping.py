"""What is worked out of a trace is worked out once for all who look at it."""

import pytest

from consensus.cascade.derivation import Derived
from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.trace import Span
from consensus.traces import Digest, Trace, digest, digest_of, is_large, kept, trace_of
from consensus.traces.keeping import LARGE_SPANS
from tests.builders import criteria, submission
from tests.traces.building import SAMPLE, span

MANY = tuple(span(f"{n:08x}") for n in range(1, LARGE_SPANS + 1))


def evaluation(*spans: Span, memo: dict[str, object] | None = None) -> Evaluation:
    return Evaluation(submission(trace=spans), Hierarchy(), {} if memo is None else memo)


def told(about: Evaluation, tokens: int = 8_192, *, tools: bool = True) -> Digest:
    return digest_of(about, tokens, 2_048, bare=False, tools=tools)


def test_the_tree_is_made_once() -> None:
    about = evaluation(*SAMPLE)
    assert trace_of(about) is trace_of(about)
    made = Trace.of(SAMPLE)
    assert trace_of(evaluation(*SAMPLE, memo=kept(made, large=False))) is made


@pytest.mark.parametrize("tokens", [0, 8_192])
def test_the_digest_is_that_of_the_library_and_made_once(tokens: int) -> None:
    about = evaluation(*SAMPLE)
    assert told(about, tokens) == digest(trace_of(about), tokens, 2_048)
    assert told(about, tokens).text is told(about, tokens).text
    assert told(evaluation()).text == "No spans recorded."


def test_who_has_no_tools_gets_an_outline_without_their_names() -> None:
    about = evaluation(*MANY * 2)
    outline = told(about, 0, tools=False).text
    assert "Details are left out: the trace is too long." in outline
    assert "spans left out] ..." in outline
    assert "_trace" not in outline
    assert "expand_trace" in told(about, 0).text


def test_a_trace_is_large_by_its_spans_or_where_it_was_said_to_be() -> None:
    assert is_large(evaluation(*MANY))
    assert not is_large(evaluation(*MANY[1:]))
    assert is_large(evaluation(*SAMPLE, memo=kept(Trace.of(SAMPLE), large=True)))
    assert not is_large(evaluation(*SAMPLE, memo=kept(Trace.of(SAMPLE), large=False)))


def test_what_is_dearest_in_a_large_trace_is_done_beforehand() -> None:
    memo = kept(Trace.of(SAMPLE), large=True)
    whole = told(evaluation(*SAMPLE, memo=memo)).text
    assert any(made is whole for made in memo.values())


def test_only_what_hangs_on_the_trace_is_true_of_another_submission_with_it() -> None:
    about = evaluation(*SAMPLE, memo={"other": 1})
    tree = trace_of(about)
    assert list(about.memo_of_trace().values()) == [tree]
    assert evaluation(memo={"trace.tree": tree}).memo_of_trace() == {}


def test_a_derived_rubric_leaves_the_trace_as_it_was_worked_out() -> None:
    about = evaluation(*SAMPLE)
    tree = trace_of(about)
    given = Derived(criteria("C1")).given_to(about)
    assert given.submission.rubric == criteria("C1")
    assert trace_of(given) is tree
