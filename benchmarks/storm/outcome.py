"""What came of a storm, and everything in it that is a fault."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.processes import Running
from benchmarks.storm.callers import ANSWERED, CANCELLED

MAX_GROWTH_MIB = 10.0
"""Of 20,000 judgments. grpc.aio 1.82 leaks about a kilobyte or more for each call to a backend
that is cancelled (grpc/grpc#43360); whatever this service held would come on top.
"""
MAX_MORE = 8
"""Threads and files: gRPC's pools grow with the load, a leak with the number of calls."""
GRACE_SECONDS = 5.0
"""How long a drain may take; one that has nothing to wait for takes a second."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the server is when nobody calls."""

    rss_mib: float
    threads: int
    open_files: int

    @classmethod
    def of(cls, server: Running) -> "Size":
        """Measure it."""
        return cls(server.rss_mib(), server.threads(), server.open_files())


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One storm, after one that warmed the server up."""

    judgments: int
    seconds: float
    ends: Mapping[str, int]
    """Calls by how they ended."""
    upstream_asked: int
    upstream_cancelled: int
    before: Size
    after: Size
    held: Mapping[str, float]
    exit_code: int | None
    """Of the server after SIGTERM; None when it did not end."""
    drain_seconds: float
    errors: int
    """Lines at the level ERROR in the server's log, and tracebacks outside of it."""

    def faults(self) -> Iterator[str]:
        """Yield what is wrong, in words; nothing when the server came through."""
        yield from (f"{words} still held: {count:g}" for words, count in self.held.items() if count)
        for end, count in self.ends.items():
            if end not in (ANSWERED, CANCELLED):
                yield f"{count} calls ended with {end}"
        if not (self.ends.get(ANSWERED) and self.ends.get(CANCELLED) and self.upstream_cancelled):
            yield "no storm: it takes calls that are answered and calls that are cancelled"
        yield from self._grown()
        if self.exit_code != 0 or self.drain_seconds > GRACE_SECONDS:
            yield f"the drain took {self.drain_seconds:.1f} s, exit code {self.exit_code}"
        if self.errors:
            yield f"the server logged {self.errors} errors"

    def _grown(self) -> Iterator[str]:
        before, after = self.before, self.after
        if (growth := after.rss_mib - before.rss_mib) > MAX_GROWTH_MIB:
            yield f"the server grew by {growth:.1f} MiB"
        if after.threads > before.threads + MAX_MORE:
            yield f"threads went from {before.threads} to {after.threads}"
        if after.open_files > before.open_files + MAX_MORE:
            yield f"open files went from {before.open_files} to {after.open_files}"
