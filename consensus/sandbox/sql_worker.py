"""Runs one query in a process of its own: {"setup", "query"} on standard input, {"columns", "rows"}
or {"fault"} on standard output. Knows nothing of this package, so that it starts in 20 ms.

SQLite bounds what a statement may hold (`LIMITS`), an authorizer what it may do, the process how
much memory and processor time it takes.
"""

import contextlib
import json
import resource
import sqlite3
import sys
from collections.abc import Callable

MAX_ROWS = 10_000
"""Most rows that are counted; a query is not run any further."""
MEMORY_BYTES = 256 << 20
"""Address space of this process, Python included."""
HEAP_BYTES = 64 << 20
"""Most memory of SQLite."""
PAGES = 4_096
"""Most pages of 4 KiB of the database."""
CPU_SECONDS = 3
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 200_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 256,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 50_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 16,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
READS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
WRITES = READS | {
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,
    sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_REINDEX,
}
FORBIDDEN = ("load_extension", "fts3_tokenizer")


def confine() -> None:
    """Give up what a query never needs."""
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        with contextlib.suppress(ValueError):  # macOS knows no limit of address space
            resource.setrlimit(limit, (most, most))


def answer(setup: str, query: str) -> dict[str, object]:
    """Return the columns and the number of rows, or why there are none."""
    database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
    for limit, most in LIMITS.items():
        database.setlimit(limit, most)
    database.execute(f"PRAGMA hard_heap_limit = {HEAP_BYTES}")
    database.execute(f"PRAGMA max_page_count = {PAGES}")
    database.execute("PRAGMA temp_store = MEMORY")
    database.execute("PRAGMA trusted_schema = OFF")
    database.set_authorizer(_authorizer(WRITES))
    try:
        database.executescript(setup)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        return {"fault": f"the set-up does not run: {error}"}
    except MemoryError:
        return {"fault": "the set-up takes too much memory"}
    if first_word(query) not in ("select", "with", "values"):
        return {"fault": "it is no query: it must begin with SELECT or WITH"}
    database.set_authorizer(_authorizer(READS))
    try:
        cursor = database.execute(query)
        columns = [column[0] for column in cursor.description or ()]
        rows = sum(1 for _ in zip(range(MAX_ROWS), cursor, strict=False))
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        return {"fault": f"the query does not run: {error}"}
    except MemoryError:
        return {"fault": "the query takes too much memory"}
    return {"columns": columns, "rows": rows}


def _authorizer(allowed: set[int]) -> Callable[..., int]:
    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        forbidden = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in FORBIDDEN
        return sqlite3.SQLITE_OK if action in allowed and not forbidden else sqlite3.SQLITE_DENY

    return authorize


def first_word(query: str) -> str:
    """Return the first word of a statement in lower case, comments before it left out."""
    at = 0
    while at < len(query):
        if query[at].isspace():
            at += 1
        elif query.startswith("--", at):
            at = query.find("\n", at) + 1 or len(query)
        elif query.startswith("/*", at):
            at = query.find("*/", at) + 2
            if at < 2:
                return ""
        else:
            break
    word = query[at : at + 10]
    return word[: next((i for i, c in enumerate(word) if not c.isalpha()), 10)].lower()


if __name__ == "__main__":
    asked = json.loads(sys.stdin.buffer.read())
    confine()
    json.dump(answer(asked["setup"], asked["query"]), sys.stdout)
