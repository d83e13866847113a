"""Prometheus metrics of taking in, in a registry of their own."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

APPENDED: Final = "appended"
REPEATED: Final = "repeated"
DEAD: Final = "dead"
POISON: Final = "poison"
RETRIED: Final = "retried"


class IntakeMetrics:
    """What one process took in. `publications` by outcome: appended, repeated, retried (an attempt failed), dead, poison."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self.publications = Counter(
            "fabula_publications_total",
            "Publications taken in by this process, by what came of them",
            ["outcome"],
            registry=self.registry,
        )
        self.events = Counter(
            "fabula_events_appended_total", "Events appended to the log by this process", registry=self.registry
        )
        self.dead_letters = Gauge(
            "fabula_dead_letters", "Dead letters that wait for a decision", registry=self.registry
        )
        self.held = Gauge(
            "fabula_intake_held", "Publications held in lanes, the ones being taken in included", registry=self.registry
        )
        self.gaps = Counter(
            "fabula_reconciled_offsets_total",
            "Offsets that were read again because nothing had recorded them",
            registry=self.registry,
        )
