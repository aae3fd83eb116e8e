"""No input holds up the service: work is counted before it is done, and refused beyond a bound."""

import json

import pytest

from consensus.domain.gradient import Evidence
from consensus.domain.submission import (
    Check,
    CheckKind,
    CodeBlock,
    Contains,
    ContainsAll,
    JsonSchema,
    LengthLimit,
    NumericAnswer,
    Regex,
    Submission,
)
from consensus.validators import Effort, Locator, check_faults, effort, run_checks
from consensus.validators.effort import STEPS, EffortSpentError

UNCHECKED = "not checked: the checks of this submission take more work than one may"
LONG = 4_000_000


def doubling(levels: int) -> dict[str, object]:
    """Return a schema that takes 2 ** levels steps to refuse anything but a string."""
    definitions = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    return {"$defs": {**definitions, f"d{levels}": {"type": "string"}}, "$ref": "#/$defs/d0"}


def test_effort_counts_down_and_ends() -> None:
    left = Effort(10)
    left.spend(4)
    left.give_back(1)
    left.spend(7)
    with pytest.raises(EffortSpentError, match="needs 1 steps, 0 are left"):
        left.spend(1)


@pytest.mark.parametrize(
    ("kind", "candidate"),
    [
        pytest.param(Regex("(x?){500}y$"), "x" * LONG, id="a regex that backtracks"),
        pytest.param(Regex("(a|b)*a(a|b){20}c"), "ab" * 2_000_000, id="a regex with many states"),
        pytest.param(JsonSchema(doubling(30)), "1", id="an exponential schema"),
        pytest.param(
            JsonSchema({"items": {"anyOf": [{"enum": [str(n) for n in range(1_500)]}, True]}}),
            json.dumps(list(range(5_000))),
            id="a schema that compares all with all",
        ),
        pytest.param(
            JsonSchema({"items": {"items": {}}}), f"[{'[],' * 400_000}[]]", id="many empty lists"
        ),
        pytest.param(
            JsonSchema({"additionalProperties": True, "patternProperties": {"a{999}b": {}}}),
            json.dumps({"a" * 999 + str(n): 1 for n in range(2_000)}),
            id="patterns on many names",
        ),
        pytest.param(JsonSchema({}), "[" * LONG, id="a million open brackets"),
        pytest.param(CodeBlock("go"), "```\n" * 1_000_000, id="a million fences"),
        pytest.param(NumericAnswer(1), "9" * LONG, id="a number of millions of digits"),
        pytest.param(NumericAnswer(1), "1e1e" * 1_000_000, id="numbers without end"),
        pytest.param(ContainsAll(("ab" * 30,) * 64), "ab" * 2_000_000 + "c" * 9, id="searches"),
    ],
)
def test_a_hostile_check_is_refused(kind: CheckKind, candidate: str) -> None:
    submission = Submission(task="t", candidate=candidate)
    results = run_checks([Check(kind)] * 3, submission)
    assert UNCHECKED in [result.message for result in results]
    assert not results[-1].passed or isinstance(kind, ContainsAll)


@pytest.mark.parametrize(
    "kind",
    [
        Contains("missing"),
        NumericAnswer(7),
        LengthLimit(max_words=10),
        CodeBlock("*"),
        Regex("missing"),
    ],
)
def test_an_ordinary_check_of_the_longest_candidate_is_not_refused(kind: CheckKind) -> None:
    submission = Submission(task="t", candidate="The 7 towers are open.\n" * (LONG // 23))
    (result,) = run_checks([Check(kind)], submission)
    assert result.message != UNCHECKED


def test_what_several_checks_need_is_paid_for_once() -> None:
    submission = Submission(task="t", candidate=f"[{'1, ' * 400_000}1]")
    kinds = [JsonSchema({"type": "array"}), LengthLimit(min_words=9), NumericAnswer(1)]
    results = run_checks([Check(kind) for kind in kinds for _ in range(500)], submission)
    assert all(result.passed for result in results)


def test_all_checks_of_a_submission_share_one_effort() -> None:
    submission = Submission(task="t", candidate="x" * LONG)
    results = run_checks([Check(Contains("missing"))] * 4_096, submission)
    assert [result.message for result in results].count(UNCHECKED) > 4_000


def test_a_costly_check_leaves_the_others_alone() -> None:
    checks = [Check(Regex("(x?){500}y$")), Check(Contains("x"))]
    results = run_checks(checks, Submission(task="t", candidate="x" * LONG))
    assert [result.passed for result in results] == [False, True]


def test_a_locator_stops_searching_for_quotations_that_are_not_there() -> None:
    locator = Locator(Submission(task="t", candidate="ab" * 2_000_000))
    missing = [Evidence("ba" * 20 + f"{number}") for number in range(150)]
    assert not any(locator.holds(evidence) for evidence in missing)
    assert not locator.holds(Evidence("abab"))


def test_whoever_looks_at_many_checks_may_bound_the_work_of_all() -> None:
    shared = Effort(STEPS)
    wide = [Check(Regex(rf"(?:\pL|\pN){{3}}{number}")) for number in range(150)]
    faults = [fault for check in wide for fault in check_faults(check, shared)]
    assert faults[0] == ("regex", "takes more work to look over than is left for all checks")
    wide_schema = JsonSchema({"enum": ["x" * 900] * 20})
    faults = list(check_faults(Check(wide_schema), Effort(1_000)))
    assert faults == [("json_schema", "takes more work to look over than is left for all checks")]


def test_the_steps_are_half_a_second_of_work() -> None:
    assert effort.STEPS == STEPS == 50_000_000
