"""Stall and tool loop: two detectors, two names."""

import pytest

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import GuardAction, TurnJudge
from consensus.guards import run_before
from consensus.guards.tool_loop import canonical
from tests.guards.running import HIVE, about, before, calls, codes, hive, keys

SEARCH = calls("search")
OWN = TurnJudge.STAGES


def test_three_identical_texts_end_the_run_before_any_judge() -> None:
    told = run_before(about("Same.", earlier=before("Other.", "Same.", "Same.")), HIVE)
    assert told is not None
    assert (told.verdict, codes(told)) == (Verdict.ESCALATE, [ReasonCode.STALLED])


@pytest.mark.parametrize(
    "earlier",
    [(), ("Same.",), ("Same.", "Same. "), ("Same.", "Same.", "Other.")],
    ids=["first", "second", "not quite", "broken off"],
)
def test_fewer_are_no_stall(earlier: tuple[str, ...]) -> None:
    assert ReasonCode.STALLED not in codes(
        run_before(about("Same.", earlier=before(*earlier)), HIVE)
    )


def test_a_stall_may_be_a_warning_or_nothing() -> None:
    stalled = about("Same.", earlier=before("Same.", "Same."))
    warned = run_before(stalled, hive(on_stall=GuardAction.WARN, judge=OWN))
    assert warned is not None
    assert warned.verdict is None
    assert "in 3 turns running" in warned.feedback
    assert run_before(stalled, hive(on_stall=GuardAction.OFF, judge=OWN)) is None


def test_silence_is_a_stall_only_where_the_policy_says_so() -> None:
    silent = about("", earlier=before("", ""))
    assert run_before(silent, hive(judge=OWN)) is None
    assert codes(run_before(silent, hive(stall_counts_empty=True))) == [ReasonCode.STALLED]


@pytest.mark.parametrize("at", ["now", "before"])
def test_a_worker_at_its_tools_is_not_silent(at: str) -> None:
    busy = calls("search") if at == "now" else ()
    turn = about("", tool_calls=busy, earlier=before("", calls("find") if at == "before" else ""))
    assert ReasonCode.STALLED not in codes(run_before(turn, hive(stall_counts_empty=True)))


def test_the_same_tool_calls_in_three_turns_are_warned_of() -> None:
    told = run_before(about(tool_calls=SEARCH, earlier=before(SEARCH, SEARCH)), HIVE)
    assert told is not None
    assert told.verdict is Verdict.RETRY
    assert codes(told) == [ReasonCode.TOOL_CALLS_PENDING, ReasonCode.TOOL_LOOP]
    assert "in 3 turns running: search." in told.feedback


def test_a_client_facing_worker_is_to_ask_its_user() -> None:
    turn = about(tool_calls=SEARCH, earlier=before(SEARCH, SEARCH), client_facing=True)
    told = run_before(turn, hive(judge=OWN))
    assert told is not None
    assert (told.verdict, codes(told)) == (
        Verdict.RETRY,
        [ReasonCode.USER_INPUT_NEEDED, ReasonCode.TOOL_LOOP],
    )
    assert told.feedback.endswith("Ask your user how to go on.")


@pytest.mark.parametrize(("turns", "warned"), [(2, False), (3, True), (4, False), (6, True)])
def test_having_warned_it_counts_anew(turns: int, warned: bool) -> None:
    turn = about(tool_calls=SEARCH, earlier=before(*[SEARCH] * (turns - 1)))
    assert (ReasonCode.TOOL_LOOP in codes(run_before(turn, HIVE))) is warned


@pytest.mark.parametrize(("iteration", "warned"), [(8, True), (9, False), (10, False), (11, True)])
def test_a_loop_that_began_before_what_is_told_is_warned_of_as_often(
    iteration: int, warned: bool
) -> None:
    turn = about(tool_calls=SEARCH, iteration=iteration, earlier=before(*[SEARCH] * 5))
    assert (ReasonCode.TOOL_LOOP in codes(run_before(turn, HIVE))) is warned


@pytest.mark.parametrize(
    ("latest", "looped"),
    [
        (calls("search", arguments='{"q":1}'), True),
        (calls("search", arguments='{"q": 2}'), False),
        (calls("find"), False),
        (calls("search", "search"), False),
        ((), False),
        (calls("ask_user", "search"), True),
    ],
    ids=["spelt otherwise", "other value", "other tool", "twice", "text only", "and asks"],
)
def test_calls_are_the_same_by_name_and_arguments(latest: object, looped: bool) -> None:
    turn = about(tool_calls=SEARCH, earlier=before(SEARCH, latest))  # type: ignore[arg-type]
    assert (ReasonCode.TOOL_LOOP in codes(run_before(turn, HIVE))) is looped


def test_the_order_of_keys_does_not_count_and_that_of_calls_does() -> None:
    one, other = (
        calls("a", "b", arguments='{"x":1,"y":2}'),
        calls("a", "b", arguments='{"y":2,"x":1}'),
    )
    assert ReasonCode.TOOL_LOOP in codes(
        run_before(about(tool_calls=one, earlier=before(other, other)), HIVE)
    )
    turned = calls("b", "a", arguments='{"x":1,"y":2}')
    assert ReasonCode.TOOL_LOOP not in codes(
        run_before(about(tool_calls=one, earlier=before(turned, turned)), HIVE)
    )


@pytest.mark.parametrize(("counted", "looped"), [(False, False), (True, True)])
def test_failed_calls_count_only_where_the_policy_says_so(counted: bool, looped: bool) -> None:
    failed = calls("search", failed=True)
    turn = about(tool_calls=failed, earlier=before(failed, failed))
    told = run_before(turn, hive(tool_loop_counts_failed=counted))
    assert (ReasonCode.TOOL_LOOP in codes(told)) is looped


def test_a_loop_may_end_the_run_or_be_ignored() -> None:
    turn = about(tool_calls=SEARCH, earlier=before(SEARCH, SEARCH))
    ended = run_before(turn, hive(on_tool_loop=GuardAction.ESCALATE))
    assert ended is not None
    assert ended.verdict is Verdict.ESCALATE
    assert run_before(turn, hive(on_tool_loop=GuardAction.OFF, judge=OWN)) is None


def test_a_warning_goes_along_with_what_is_missing() -> None:
    rules = hive(on_stall=GuardAction.WARN)
    turn = about("Same.", earlier=before("Same.", "Same."), output_keys=keys("plan"))
    told = run_before(turn, rules)
    assert told is not None
    assert codes(told) == [ReasonCode.OUTPUTS_MISSING, ReasonCode.STALLED]
    assert told.feedback.count("\n") == 1


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"b": 1, "a": [1, {"d": null}]}', '{"a":[1,{"d":null}],"b":1}'),
        (" not json ", "not json"),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
        ("1" * 5_000, "1" * 5_000),
    ],
    ids=["object", "broken", "empty", "too deep", "too long a number"],
)
def test_arguments_are_compared_as_json_where_they_are(written: str, read: str) -> None:
    assert canonical(written) == read


def test_reading_arguments_has_an_end() -> None:
    long = '["' + "x" * 99_000 + '", 1]'
    spelt = (calls("search", arguments=long), calls("search", arguments=long.replace(", ", " , ")))
    as_written = about(tool_calls=spelt[0], earlier=before(spelt[0], spelt[0]))
    assert ReasonCode.TOOL_LOOP in codes(run_before(as_written, HIVE))
    respelt = about(tool_calls=spelt[0], earlier=before(spelt[1], spelt[0]))
    assert ReasonCode.TOOL_LOOP not in codes(run_before(respelt, HIVE))
