"""Prometheus metrics of one process: what it served, and how far the read models are.

Each `Metrics` has a registry of its own, so that two applications in one process never share a counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from services.projecting.health import ProjectionHealth

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


class Metrics:
    """The metrics of one application. `projections` is asked at every scrape; `others` are shown as well."""

    def __init__(
        self, projections: Callable[[], Sequence[ProjectionHealth]], others: Sequence[CollectorRegistry] = ()
    ) -> None:
        self.registry = CollectorRegistry()
        self._others = others
        self.http = Histogram(
            "fabula_http_request_seconds",
            "Time to answer a request, by route template",
            ["method", "route", "status"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.publications = Counter(
            "fabula_http_publications_total",
            "Publications answered over HTTP, by what came of them",
            ["outcome"],
            registry=self.registry,
        )
        self.waiting = Gauge(
            "fabula_publications_waiting",
            "Publications accepted by this process that are being handled or wait for a thread",
            registry=self.registry,
        )
        self.registry.register(_ReadModels(projections))

    def exposition(self) -> bytes:
        """Everything, in the text format of Prometheus. Asks the database: not for the event loop."""
        return b"".join(generate_latest(each) for each in (self.registry, *self._others))


class _ReadModels(Collector):
    def __init__(self, projections: Callable[[], Sequence[ProjectionHealth]]) -> None:
        self._projections = projections

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Named here so that registering asks nothing of the database."""
        yield from self._families()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        lag, stalled = self._families()
        for each in self._projections():
            lag.add_metric([each.name], each.lag)
            stalled.add_metric([each.name], 0 if each.stalled_at is None else 1)
        yield from (lag, stalled)

    def _families(self) -> tuple[GaugeMetricFamily, GaugeMetricFamily]:
        return (
            GaugeMetricFamily(
                "fabula_projection_lag", "Positions a read model is behind the log", labels=["projection"]
            ),
            GaugeMetricFamily(
                "fabula_projection_stalled",
                "1 when a read model cannot pass an event",
                labels=["projection"],
            ),
        )
