"""Queries: one SELECT, in a database of its own in memory, that can read and nothing else.

Each runs in a short-lived process: inside a function of SQLite's that takes seconds, such as
`printf('%.*c', 1000000000, 'x')`, no thread can be stopped, and its memory is counted by process.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from consensus.domain.ports import Proof
from consensus.domain.submission import SqlQuery
from consensus.sandbox.process import run

SECONDS = 2.0
CONCURRENCY = 2
"""Most queries at a time."""
MAX_REPLY = 1 << 20
_WORKER = str(Path(__file__).with_name("sql_worker.py"))
_SHOWN = 300
_TOO_MUCH = Proof(False, "the query takes too much memory or time")


class SqlProver:
    """Runs queries."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """`seconds`: most time of one check, its set-up included."""
        self._seconds = seconds
        self._places = asyncio.Semaphore(CONCURRENCY)

    async def prove(self, check: SqlQuery, query: str) -> Proof:
        """Run the set-up, then the query; killed when cancelled."""
        asked = json.dumps({"setup": check.setup, "query": query}).encode()
        async with self._places:
            ended = await run(
                [sys.executable, "-I", "-S", "-B", _WORKER],
                given=asked,
                seconds=self._seconds,
                most_bytes=MAX_REPLY,
            )
        if ended.late:
            return Proof(False, f"the query takes longer than {self._seconds:g} s")
        if ended.code != 0:
            return _TOO_MUCH
        told = json.loads(ended.out)
        if fault := told.get("fault"):
            return Proof(False, fault[:_SHOWN])
        return _judged(check, query, told["columns"], told["rows"])


def _judged(check: SqlQuery, query: str, columns: Sequence[str], rows: int) -> Proof:
    wanted = [column.casefold() for column in check.columns]
    named = ", ".join(columns)[:_SHOWN]
    if wanted and [column.casefold() for column in columns] != wanted:
        return Proof(False, f"the query gives the columns {named}")
    if rows < check.min_rows:
        return Proof(False, f"the query gives {rows} rows; at least {check.min_rows} must be")
    first = next(line.strip() for line in query.splitlines() if line.strip())
    return Proof(True, f"the query gives {rows} rows of {named}", (first,))
