"""Checks see how the candidate's process ended and what it wrote to standard error."""

import pytest

from consensus.domain.decision import CheckResult
from consensus.domain.submission import (
    Check,
    CheckTarget,
    Contains,
    ExitCode,
    NotContains,
    NumericAnswer,
    ProcessResult,
    Submission,
)
from consensus.validators import check_faults, describe, run_checks

STDERR = CheckTarget.STDERR


def checked(check: Check, process: ProcessResult | None) -> CheckResult:
    (result,) = run_checks([check], Submission(task="t", candidate="out 1", process=process))
    return result


@pytest.mark.parametrize(
    ("wanted", "process", "passed", "score"),
    [
        (ExitCode(), ProcessResult(0), True, None),
        (ExitCode(), ProcessResult(1), False, None),
        (ExitCode(), ProcessResult(0, "warning"), True, None),
        (ExitCode(stderr_score=0.85), ProcessResult(0, "warning"), False, 0.85),
        (ExitCode(stderr_score=0.85), ProcessResult(0), True, None),
        (ExitCode(stderr_score=0.85), ProcessResult(1, "warning"), False, None),
        (ExitCode(stderr_score=0.85, min_score=0.85), ProcessResult(0, "w"), True, 0.85),
        (ExitCode(stderr_score=0.0), ProcessResult(0, "w"), False, None),
        (ExitCode(3), ProcessResult(3), True, None),
        (ExitCode(3), ProcessResult(0), False, None),
        (ExitCode(-9), ProcessResult(-9), True, None),
        (ExitCode(), None, False, None),
    ],
)
def test_an_exit_code_passes_where_its_score_reaches_the_least(
    wanted: ExitCode, process: ProcessResult | None, passed: bool, score: float | None
) -> None:
    result = checked(Check(wanted), process)
    assert (result.passed, result.score) == (passed, score)
    assert result.of_process


def test_what_was_seen_is_the_exit_code_and_the_end_of_standard_error() -> None:
    trace = "Traceback\n" + "  line\n" * 500 + "KeyError: 'price'"
    message = checked(Check(ExitCode()), ProcessResult(1, trace)).message
    assert message.startswith("exit code 1, 3527 characters of standard error, at the end: ")
    assert message.endswith("line KeyError: 'price'")
    assert len(message) < 300
    assert checked(Check(ExitCode()), ProcessResult(2)).message == "exit code 2"
    assert checked(Check(ExitCode()), None).message == "the candidate comes from no process"


def test_a_text_check_looks_at_standard_error_where_it_says_so() -> None:
    process = ProcessResult(0, "warning: 2 tests skipped")
    assert checked(Check(Contains("skipped"), target=STDERR), process).passed
    assert not checked(Check(Contains("skipped")), process).passed
    assert checked(Check(NumericAnswer(2), target=STDERR), process).passed
    assert checked(Check(NotContains("Traceback"), target=STDERR), process).passed


def test_standard_error_of_no_process_passes_nothing() -> None:
    result = checked(Check(NotContains("Traceback"), target=STDERR), None)
    assert (result.passed, result.message) == (False, "there is no process with a stderr")


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (Check(ExitCode()), "exits with 0"),
        (Check(ExitCode(3, stderr_score=0.85)), "exits with 3 and an empty stderr"),
        (Check(ExitCode(stderr_score=0.85, min_score=0.8)), "exits with 0"),
        (Check(ExitCode(), output="plan"), "exits with 0"),
        (Check(Contains("x"), target=STDERR), 'contains "x" in stderr'),
        (Check(Contains("x"), "plan", STDERR), "contains \"x\" in output 'plan'"),
    ],
)
def test_a_check_of_the_process_is_told_in_words(check: Check, words: str) -> None:
    assert describe(check) == words


@pytest.mark.parametrize(
    ("wanted", "faults"),
    [
        (ExitCode(), []),
        (ExitCode(stderr_score=1.5), ["exit_code.stderr_score"]),
        (ExitCode(min_score=0.0), ["exit_code.min_score"]),
        (
            ExitCode(stderr_score=float("nan"), min_score=2.0),
            ["exit_code.stderr_score", "exit_code.min_score"],
        ),
    ],
)
def test_scores_out_of_range_are_told(wanted: ExitCode, faults: list[str]) -> None:
    assert [field for field, _ in check_faults(Check(wanted))] == faults
