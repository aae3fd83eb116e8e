"""Counters, gauges and histograms that the event loop writes and Prometheus's thread reads.

prometheus_client's own take a lock and a chain of calls for each value; a judgment makes thirty
of them, which was a tenth of it. These write to plain dictionaries and hand over what stands there
when they are scraped, through prometheus_client's collector interface. One thread writes.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

Labels = tuple[str, ...]


class Instrument(Collector):
    """One metric: a value for each combination of label values that has occurred."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self.help = help_text
        self.labels = tuple(labels)

    def describe(self) -> Iterable[Metric]:
        """Return the family without values, for the registry to compare names."""
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        """Return the family with its values."""
        raise NotImplementedError

    def _family(self) -> Metric:
        raise NotImplementedError


class Counter(Instrument):
    """Only grows."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, help_text, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}

    def inc(self, *labels: str, by: float = 1.0) -> None:
        """Add `by`, at least 0."""
        self._values[labels] = self._values.get(labels, 0.0) + by

    def collect(self) -> Iterable[Metric]:
        """Return the family with its values."""
        family = self._family()
        for labels, value in list(self._values.items()):
            family.add_metric(labels, value)
        return [family]

    def _family(self) -> CounterMetricFamily:
        return CounterMetricFamily(self.name, self.help, labels=self.labels)


class Gauge(Instrument):
    """Goes up and down."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, help_text, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}
        self._read: Callable[[], Iterable[tuple[Labels, float]]] | None = None

    def set(self, value: float, *labels: str) -> None:
        """Set the value."""
        self._values[labels] = value

    def remove(self, *labels: str) -> None:
        """Forget a value."""
        self._values.pop(labels, None)

    def read_from(self, read: Callable[[], Iterable[tuple[Labels, float]]]) -> None:
        """Take the values from `read` whenever they are asked for."""
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Return the family with its values."""
        family = self._family()
        for labels, value in list(self._read() if self._read else self._values.items()):
            family.add_metric(labels, value)
        return [family]

    def _family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily(self.name, self.help, labels=self.labels)


class Histogram(Instrument):
    """Counts values by size."""

    def __init__(
        self, name: str, help_text: str, labels: Sequence[str], bounds: Sequence[float]
    ) -> None:
        """`bounds` are the upper ends of the buckets, inclusive, rising."""
        super().__init__(name, help_text, labels)
        self.bounds = tuple(float(bound) for bound in bounds)
        self._series: dict[Labels, list[float]] = {}
        if not labels:
            self._new(())

    def observe(self, value: float, *labels: str) -> None:
        """Count one value."""
        series = self._series.get(labels) or self._new(labels)
        series[bisect_left(self.bounds, value)] += 1
        series[-1] += value

    def show(self, *labels: str) -> None:
        """Show a series before it has a value."""
        if labels not in self._series:
            self._new(labels)

    def _new(self, labels: Labels) -> list[float]:
        """Return a series of counts for each bucket, for what is above them all, and the sum."""
        series = self._series[labels] = [0.0] * (len(self.bounds) + 2)
        return series

    def collect(self) -> Iterable[Metric]:
        """Return the family with its values."""
        family = self._family()
        names = [*map(floatToGoString, self.bounds), "+Inf"]
        for labels, series in list(self._series.items()):
            *counts, total = list(series)
            buckets = list(zip(names, accumulate(counts), strict=True))
            family.add_metric(labels, buckets, total)
        return [family]

    def _family(self) -> HistogramMetricFamily:
        return HistogramMetricFamily(self.name, self.help, labels=self.labels)
