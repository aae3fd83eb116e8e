"""The bench's part of the metrics: what the habits of judges tell of themselves."""

from collections import Counter as Tally

from consensus.telemetry.metrics import Instruments

BREAKER_STATES = ("closed", "open", "half_open")


class BenchRecorder:
    """Writes to the metrics of one process. Never waits, never raises."""

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments
        self._waiting: Tally[str] = Tally()

    def limited(self, judge: str, concurrency: int) -> None:
        """At most so many calls of this judge are under way at a time."""
        self._set("consensus_judge_limit", concurrency, judge)

    def waiting(self, judge: str, change: int) -> None:
        """So many calls more, or fewer, wait for their place."""
        self._waiting[judge] += change
        self._set("consensus_judge_waiting", self._waiting[judge], judge)

    def retried(self, judge: str, reason: str) -> None:
        """A call is made again after a failure of this kind."""
        self._inc("consensus_judge_retries_total", judge, reason)

    def hedged(self, judge: str, result: str) -> None:
        """A hedge has ended."""
        self._inc("consensus_judge_hedges_total", judge, result)

    def hedging_delay(self, judge: str, seconds: float) -> None:
        """A call later than this is late."""
        self._set("consensus_hedging_delay_seconds", seconds, judge)

    def breaker(self, judge: str, state: str) -> None:
        """The breaker is in this state and in no other."""
        for name in BREAKER_STATES:
            self._set("consensus_judge_breaker_state", name == state, judge, name)

    def constant(self, judge: str, what: str, suspicious: bool) -> None:
        """Whether the judge's score never changes, or its confidence is always full."""
        self._set("consensus_judge_constant", suspicious, judge, what)

    def cached(self, judge: str, result: str) -> None:
        """An answer was looked up."""
        self._inc("consensus_judge_cache_total", judge, result)

    def called(self, target: str, items: int) -> None:
        """A call to the judges of a target was sent, for so many submissions."""
        self._instruments.histogram("consensus_judge_batch_items").observe(items, target)

    def _inc(self, name: str, *labels: str) -> None:
        self._instruments.counter(name).inc(*labels)

    def _set(self, name: str, value: float, *labels: str) -> None:
        self._instruments.gauge(name).set(value, *labels)
