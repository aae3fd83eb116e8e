"""Queries: what runs, what is refused, and that nothing they try takes long or costs much."""

# ruff: noqa: S608 - the queries are hostile on purpose

import asyncio
import resource

import pytest

from consensus.domain.ports import Proof
from consensus.domain.submission import SqlQuery
from consensus.sandbox.sql import SqlProver
from consensus.sandbox.sql_worker import first_word

EVENTS = """
CREATE TABLE events (user_id INTEGER, day TEXT);
INSERT INTO events VALUES (1, 'a'), (1, 'a'), (2, 'b');
"""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "


async def proof(
    query: str, *columns: str, rows: int = 0, setup: str = EVENTS, seconds: float = 0.0
) -> Proof:
    prover = SqlProver() if not seconds else SqlProver(seconds)
    return await prover.prove(SqlQuery(setup, columns, rows), query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT day, COUNT(DISTINCT user_id) AS users FROM events GROUP BY day",
        "select Day, 1 as USERS from events;",
        "-- a comment\n/* and one */ WITH a AS (SELECT 'x' AS day, 2 AS users) SELECT * FROM a",
    ],
)
async def test_a_query_that_runs_holds_with_its_columns_in_any_case(query: str) -> None:
    assert (await proof(query, "day", "users", rows=1)).passed


async def test_a_proof_quotes_the_query() -> None:
    query = "\n  SELECT 1\n  AS one"
    assert (await proof(query)).quotes == ("SELECT 1",)


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        ("SELECT 1; SELECT 2", "one statement"),
        ("DELETE FROM events", "no query"),
        ("WITH x AS (SELECT 1) DELETE FROM events", "not authorized"),
        ("PRAGMA user_version", "no query"),
        ("ATTACH ':memory:' AS x", "no query"),
        ("EXPLAIN SELECT 1", "no query"),
        ("/* no end", "no query"),
        ("-- nothing", "no query"),
        ("SELECT load_extension('x')", "not authorized"),
        ("SELECT * FROM pragma_database_list", "not authorized"),
        ("SELECT other FROM events", "no such column"),
        ("SELECT '\0'", "null character"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "overflow"),
        ("SELECT 1 WHERE day = 2 OR 1 = 1", "no such column"),
    ],
)
async def test_what_is_no_single_query_does_not_hold(query: str, seen: str) -> None:
    found = await proof(query)
    assert not found.passed
    assert seen in found.message


async def test_columns_and_rows_are_counted() -> None:
    assert "columns day" in (await proof("SELECT day FROM events", "day", "users")).message
    found = await proof("SELECT day FROM events", rows=4)
    assert (found.passed, found.message) == (
        False,
        "the query gives 3 rows; at least 4 must be",
    )
    endless = await proof(f"{NUMBERS} SELECT i FROM n", rows=10_000)
    assert endless.passed, "rows are counted to a limit"


@pytest.mark.parametrize(
    "setup",
    [
        "ATTACH '/tmp/x' AS x",
        "PRAGMA journal_mode = OFF",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE TEMP TABLE t(a)",
        "VACUUM INTO '/tmp/x'",
        "CREATE TABLE t(a); CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        f"CREATE TABLE t(a); INSERT INTO t {NUMBERS} SELECT randomblob(1000) FROM n",
        "this is no SQL",
    ],
    ids=["attach", "pragma", "virtual", "temporary", "vacuum", "trigger", "endless", "nonsense"],
)
async def test_a_set_up_makes_tables_and_rows_and_nothing_else(setup: str) -> None:
    found = await proof("SELECT 1", setup=setup)
    assert not found.passed
    assert found.message.startswith("the set-up does not run")


@pytest.mark.parametrize(
    "query",
    [
        f"{NUMBERS} SELECT COUNT(*) FROM n",
        f"{NUMBERS} SELECT COUNT(*) FROM (SELECT i FROM n ORDER BY randomblob(100000))",
        f"{NUMBERS} SELECT group_concat(i) FROM n",
        f"{NUMBERS}, m AS (SELECT i FROM n LIMIT 999) SELECT COUNT(*) FROM m a, m b, m c, m d",
        "SELECT randomblob(1000000000)",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT replace(hex(zeroblob(300000)), '0', hex(zeroblob(300000)))",
        f"SELECT hex(zeroblob(300000)) LIKE '%{'0%' * 1_000}1'",
        "SELECT COUNT(*) FROM " + ", ".join(f"events e{n}" for n in range(60)),
    ],
    ids=["endless", "sorter", "concat", "join", "random", "zero", "printf", "replace", "like",
         "wide join"],
)  # fmt: skip
async def test_a_bomb_ends_soon_and_costs_the_server_nothing(query: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with asyncio.timeout(10):
        found = await proof(query, seconds=0.4)
    assert not found.passed
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


async def test_a_cancelled_query_is_killed() -> None:
    prover = SqlProver(60)
    query = f"{NUMBERS} SELECT COUNT(*) FROM n"
    tasks = [asyncio.create_task(prover.prove(SqlQuery(), query)) for _ in range(3)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    async with asyncio.timeout(10):
        assert await asyncio.gather(*tasks, return_exceptions=True)
    assert all(task.cancelled() for task in tasks)
    assert (await prover.prove(SqlQuery(), "SELECT 1")).passed, "the places are free again"


@pytest.mark.parametrize(
    ("query", "word"),
    [("select 1", "select"), ("  \n-- x\nWITH a", "with"), ("/**/values(1)", "values"),
     ("", ""), ("/* x", ""), ("-- x", ""), ("1", ""), ("explaining everything", "explaining")],
)  # fmt: skip
def test_the_first_word_of_a_statement(query: str, word: str) -> None:
    assert first_word(query) == word
