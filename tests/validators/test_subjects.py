"""What the sandbox is to prove is found in the text, verbatim."""

import pytest

from consensus.domain.decision import CheckResult
from consensus.domain.submission import (
    Check,
    CodeRun,
    Contains,
    JsonSchema,
    SandboxKind,
    SqlQuery,
    Submission,
    UrlAnswer,
)
from consensus.validators import Effort, EffortSpentError, run_checks, subjects
from consensus.validators.subjects import MAX_FOUND, MAX_SUBJECT

SQL, CODE, URL = SqlQuery(), CodeRun("python"), UrlAnswer()


def found(kind: SandboxKind, text: str, output: str = "") -> tuple[str, ...]:
    submission = Submission(task="t", candidate=text, outputs={"plan": "http://b.example"})
    return subjects(Check(kind, output), submission, Effort())


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (SQL, "SELECT 1", ("SELECT 1",)),
        (SQL, "```sql\nSELECT 1\n```\n```SQL\nSELECT 2\n```", ("SELECT 2",)),
        (SQL, "```python\nx\n```", ("```python\nx\n```",)),
        (SQL, "  \n", ()),
        (SQL, "```sql\n\n```", ()),
        (SQL, "x" * MAX_SUBJECT, ("x" * MAX_SUBJECT,)),
        (SQL, "x" * (MAX_SUBJECT + 1), ()),
        (CODE, "x = 1", ()),
        (CODE, "```python\nx = 1\n```\n```Python\nx = 2\n```", ("x = 2",)),
        (CODE, "```ruby\nx\n```", ()),
        (URL, "nothing", ()),
        (URL, "see http://a.example/b?c=d#e.", ("http://a.example/b?c=d#e",)),
        (URL, "[a](https://a.example/b_(c)), [b](HTTPS://b.example)!",
         ("https://a.example/b_(c)", "HTTPS://b.example")),
        (URL, "<http://a.example> `http://a.example` (http://a.example)", ("http://a.example",)),
        (URL, "[http://a.example/[1]] http://...", ("http://a.example/[1]", "http://")),
        (URL, "http://a.example/" + ")" * 1_000, ("http://a.example/",)),
        (URL, "ftp://a.example mailto:a@b.example", ()),
    ],
)  # fmt: skip
def test_what_there_is_to_prove(kind: SandboxKind, text: str, expected: tuple[str, ...]) -> None:
    assert found(kind, text) == expected


def test_an_output_may_hold_it() -> None:
    assert found(URL, "http://a.example", "plan") == ("http://b.example",)
    assert found(URL, "http://a.example", "none") == ()


def test_so_many_urls_are_looked_for_and_no_more() -> None:
    text = " ".join(f"http://{n}.example" for n in range(MAX_FOUND + 9))
    assert len(found(URL, text)) == MAX_FOUND


def test_a_long_url_stays_too_long() -> None:
    (url,) = found(URL, "http://a.example/" + "x" * 5_000)
    assert 2_000 < len(url) < 5_000


@pytest.mark.parametrize("kind", [SQL, CODE, URL])
def test_looking_takes_effort(kind: SandboxKind) -> None:
    text = "```sql\n" * 1_000
    with pytest.raises(EffortSpentError):
        subjects(Check(kind), Submission(task="t", candidate=text), Effort(10))


def test_a_check_that_nobody_proved_does_not_hold() -> None:
    submission = Submission(task="t", candidate="SELECT 1")
    for kind in (SQL, CODE, URL):
        (result,) = run_checks([Check(kind)], submission)
        assert (result.passed, result.message) == (False, "it was not verified")


def test_proofs_stand_in_the_place_of_their_checks() -> None:
    submission = Submission(task="t", candidate="SELECT 1")
    proven = CheckResult("a query", True, "it ran")
    checks = [
        Check(Contains("SELECT")), Check(SQL), Check(JsonSchema({})), Check(URL), Check(SQL, "x"),
    ]  # fmt: skip
    results = run_checks(checks, submission, {Check(SQL): proven})
    assert [result.passed for result in results] == [True, True, False, False, False]
    assert results[1] is proven
