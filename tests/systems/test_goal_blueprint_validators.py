"""The goal blueprint's hard validators and worked examples, through the running server: what checks
decide asks no judge, and what they cannot verify does not count.
"""

import shutil
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
import pytest

from consensus.v1 import decision_pb2, submission_pb2
from tests.sandbox.pages import Pages, pages
from tests.sandbox.trial import needs_bubblewrap
from tests.systems.blueprint import (
    COMPLETE,
    MET,
    NOT_YET,
    Blueprint,
    blueprint,
    codes,
    criterion,
    finding,
    says,
    turn,
)

ACCEPT, RETRY = decision_pb2.VERDICT_ACCEPT, decision_pb2.VERDICT_RETRY
Check = submission_pb2.Check


@pytest.fixture(scope="module")
async def site() -> AsyncIterator[Pages]:
    async with pages() as running:
        yield running


@pytest.fixture(scope="module")
async def served(site: Pages) -> AsyncIterator[Blueprint]:
    sandbox: dict[str, Any] = {
        "url": {"ports": [site.port], "allow_addresses": ["127.0.0.1/32"], "timeout_seconds": 2}
    }
    if shutil.which("bwrap"):
        sandbox["code"] = {"timeout_seconds": 10}
    async with blueprint(sandbox) as running:
        yield running


def about(candidate: str, *criteria: Any, **more: Any) -> submission_pb2.Submission:
    return turn(candidate=candidate, rubric=submission_pb2.Rubric(criteria=criteria), **more)


def fenced(language: str, code: str) -> str:
    return f"Here it is:\n\n```{language}\n{code}\n```\nThat is all."


ADD = "def add(a, b):\n    return a {} b"
EVENTS = """
CREATE TABLE events (user_id INTEGER, day TEXT);
INSERT INTO events VALUES (1, '2025-01-01'), (1, '2025-01-01'), (2, '2025-01-02');
"""
BY_DAY = "SELECT day, COUNT(DISTINCT user_id) AS users FROM events GROUP BY day"
SQL = criterion(
    "C1",
    "A query that gives users by day and is not empty",
    checks=[
        Check(regex=r"(?i)count\s*\(\s*distinct\s+user_id\s*\)"),
        Check(regex=r"(?i)group\s+by\s+day"),
        Check(regex=r"(?i)from\s+events"),
        Check(sql=submission_pb2.SqlQuery(setup=EVENTS, columns=["day", "users"], min_rows=1)),
    ],
)
NUMBER = criterion(
    "C1", checks=[Check(numeric=submission_pb2.NumericAnswer(value=3.14159, tolerance=0.001))]
)
TEXT = criterion("C1", checks=[Check(contains="nine"), Check(regex="(?i)tower")])
BLOCK = criterion("C1", checks=[Check(code_block="python")])


def _object() -> Any:
    check = Check()
    check.json_schema.update({"type": "object", "required": ["city"]})
    return criterion("C1", checks=[check])


@pytest.mark.parametrize(
    ("required", "candidate", "holds"),
    [
        pytest.param(TEXT, "The tower opens at nine.", True, id="text"),
        pytest.param(TEXT, "The tower opens at ten.", False, id="text that lacks a word"),
        pytest.param(_object(), '```json\n{"city": "Paris"}\n```', True, id="JSON"),
        pytest.param(_object(), '{"town": "Paris"}', False, id="JSON of another shape"),
        pytest.param(NUMBER, "It is about 3.1412.", True, id="maths within the tolerance"),
        pytest.param(NUMBER, "It is about 3.2.", False, id="maths beyond the tolerance"),
        pytest.param(BLOCK, fenced("python", "pass"), True, id="a code block"),
        pytest.param(BLOCK, "def f(): pass", False, id="code without a block"),
        pytest.param(SQL, fenced("sql", BY_DAY), True, id="SQL"),
        pytest.param(SQL, BY_DAY + ";", True, id="SQL without a block"),
        pytest.param(SQL, fenced("sql", BY_DAY + " HAVING 1 = 2"), False, id="SQL, no rows"),
        pytest.param(SQL, fenced("sql", BY_DAY.replace("AS users", "AS n")), False,
                     id="SQL, other columns"),
        pytest.param(SQL, fenced("sql", f"DROP TABLE events; {BY_DAY}"), False,
                     id="SQL that writes"),
    ],
)  # fmt: skip
async def test_a_hard_validator_settles_the_goal_without_a_judge(
    served: Blueprint, required: Any, candidate: str, holds: bool
) -> None:
    served.judges.say(says(1.0, criteria=("C1",)), says(1.0, criteria=("C1",)))
    decision = await served.judge(about(candidate, required))
    assert served.judges.asked == []
    expected = (ACCEPT, COMPLETE, 0.98) if holds else (RETRY, NOT_YET, 0.95)
    assert (decision.verdict, decision.goal_status, decision.goal_confidence) == expected
    assert codes(decision)[0] == ("GOAL_COMPLETE" if holds else "GOAL_NOT_COMPLETE")
    assert ("C1" in decision.feedback) is not holds


COUNT_USERS = [
    criterion("C1", "Names the function count_users", checks=[Check(regex=r"def count_users\(")]),
    criterion("C2", "Takes a list of dicts with id", checks=[Check(regex=r"\[.id.\]|get\(.id.")]),
    criterion(
        "C3",
        "The sample test passes",
        checks=[
            Check(
                code_run=submission_pb2.CodeRun(
                    language="python",
                    test="assert count_users([{'id': 1}, {'id': 2}, {'id': 1}]) == 2",
                )
            )
        ],
    ),
    criterion("C4", "Runs in O(n)", required=False),
]
GOOD = "def count_users(users):\n    return len({user['id'] for user in users})"


@needs_bubblewrap
@pytest.mark.parametrize(
    ("code", "failing"),
    [
        pytest.param(GOOD, None, id="right"),
        pytest.param(GOOD.replace("len({", "len([").replace("})", "])"), "C3", id="test fails"),
        pytest.param(GOOD.replace("count_users", "users_in"), "C1", id="another name"),
        pytest.param(f"raise SystemExit(0)\n{GOOD}", "C3", id="it ends before the test"),
        pytest.param("def count_users(", "C3", id="no Python"),
    ],
)
async def test_count_users_is_decided_by_its_name_its_input_and_its_test(
    served: Blueprint, code: str, failing: str | None
) -> None:
    served.judges.say(None, None)
    decision = await served.judge(about(fenced("python", code), *COUNT_USERS))
    assert served.judges.asked == []
    assert decision.verdict == (RETRY if failing else ACCEPT), decision
    if failing:
        assert failing in decision.feedback
        assert decision.goal_confidence == 0.95


@needs_bubblewrap
async def test_code_that_is_missing_is_left_to_nobody(served: Blueprint) -> None:
    served.judges.say(None, None)
    decision = await served.judge(about("I would add both numbers.", *COUNT_USERS))
    assert (decision.verdict, served.judges.asked) == (RETRY, [])
    assert "there is nothing of this kind" in decision.feedback


def capital(site: Pages) -> list[Any]:
    return [
        criterion("C1", "Names Paris", checks=[Check(contains="Paris")]),
        criterion("C2", "Names a URL", checks=[Check(regex="https?://")]),
        criterion("C3", "The link is plausible", checks=[Check(url={"contains": "Paris"})]),
    ]


@pytest.mark.parametrize(
    ("link", "seen"),
    [
        pytest.param("/paris", "", id="a page about it"),
        pytest.param("/moved?to=/paris", "", id="a page that has moved"),
        pytest.param("/nowhere", "answers with status 404", id="no such page"),
        pytest.param("/london", "does not answer with the expected text", id="another page"),
        pytest.param(
            "/moved?to=http://169.254.169.254/", "asks for port 80", id="into the network"
        ),
    ],
)
async def test_the_capital_of_france_needs_a_link_that_answers(
    served: Blueprint, site: Pages, link: str, seen: str
) -> None:
    served.judges.say(None, None)
    candidate = f"It is Paris, see [here]({site.url}{link})."
    decision = await served.judge(about(candidate, *capital(site)))
    assert decision.verdict == (RETRY if seen else ACCEPT), decision
    assert (decision.goal_status, served.judges.asked) == (NOT_YET if seen else COMPLETE, [])
    assert seen in decision.feedback


async def test_a_proof_is_a_finding_with_a_quotation(served: Blueprint, site: Pages) -> None:
    served.judges.say(None, None)
    decision = await served.judge(about(f"Paris: {site.url}/paris.", *capital(site)))
    (result,) = [one for one in decision.criteria if one.criterion_id == "C3"]
    assert [evidence.quote for evidence in result.evidence] == [f"{site.url}/paris"]


async def test_validators_that_leave_a_criterion_open_ask_the_judges(served: Blueprint) -> None:
    served.judges.say(says(0.8), says(0.9))
    rubric = [TEXT, criterion("C2", "Is friendly")]
    candidate = "The tower opens at nine in the morning."
    decision = await served.judge(about(candidate, *rubric))
    assert (decision.verdict, decision.goal_status) == (ACCEPT, COMPLETE)
    assert served.judges.asked == ["fast", "strong"]


async def test_a_criterion_whose_checks_hold_needs_no_quotation_of_a_judge(
    served: Blueprint,
) -> None:
    unquoted = [finding("C1", MET, ""), finding("C2")]
    served.judges.say(says(0.8, *unquoted), says(0.9, *unquoted))
    candidate = "The tower opens at nine in the morning."
    decision = await served.judge(about(candidate, TEXT, criterion("C2", "Is friendly")))
    assert (decision.verdict, decision.goal_status) == (ACCEPT, COMPLETE)


async def test_an_optional_check_that_fails_is_no_hard_failure(served: Blueprint) -> None:
    served.judges.say(says(0.8), says(0.9))
    optional = criterion("C1", required=False, checks=[Check(contains="nobody says this")])
    decision = await served.judge(about("It opens at nine.", optional, criterion("C2")))
    assert served.judges.asked == ["fast", "strong"]
    assert decision.verdict == ACCEPT


async def test_without_a_turn_the_validators_settle_all_the_same(served: Blueprint) -> None:
    served.judges.say(None, None)
    submission = about("The tower opens at nine.", TEXT)
    submission.ClearField("turn")
    decision = await served.judge(submission)
    assert (decision.verdict, decision.goal_confidence) == (ACCEPT, 0.98)


async def test_a_check_that_the_server_does_not_allow_is_refused_by_its_field() -> None:
    off = criterion("C2", checks=[Check(contains="a"), Check(code_run={"language": "python"})])
    async with blueprint({"url": None}) as served:
        for refused, where, key in (
            (off, "criteria[1].checks[1].code_run", "sandbox.code"),
            (capital(None)[2], "criteria[1].checks[0].url", "sandbox.url"),  # type: ignore[arg-type]
        ):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await served.judge(about("x", TEXT, _named(refused, "C9")))
            assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            words = error.value.details() or ""
            assert f"submission.rubric.{where}" in words
            assert key in words


async def test_a_rubric_has_at_most_16_checks_that_need_the_sandbox(served: Blueprint) -> None:
    many = [criterion(f"C{n}", checks=[Check(sql=submission_pb2.SqlQuery())] * 9) for n in range(2)]
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await served.judge(about("SELECT 1", *many))
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "18 checks that need the sandbox; at most 16" in (error.value.details() or "")


def _named(given: Any, name: str) -> Any:
    copy = submission_pb2.Criterion()
    copy.CopyFrom(given)
    copy.id = name
    return copy
