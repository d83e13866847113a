"""What it costs to append a chapter, beside the event library's own recorder in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment

from events.chapters import PublicationRequest
from events.domain_events import StoryEvent
from events.ledger import Ledger, Outcome
from events.sidecar import validate
from services.evaluation.bench.measures import MS, Measure, at_least, median
from services.evaluation.bench.place import Place
from services.evaluation.bench.serial import Serial
from services.evaluation.bench.sizes import Sizes

WARM_UP = 5
"""Chapters at the beginning that are appended and not counted."""


class TimedLedger(Ledger):
    """A ledger that notes how long the parts of its last append took, in seconds."""

    deciding = 0.0
    taking = 0.0
    locating = 0.0
    events: list[StoryEvent]

    def _prepare(self, *args: Any) -> Any:
        started = time.perf_counter()
        found = super()._prepare(*args)
        self.locating = time.perf_counter() - started
        return found

    def _decide(self, *args: Any) -> Any:
        started = time.perf_counter()
        decided = super()._decide(*args)
        self.deciding = time.perf_counter() - started
        self.events = decided[0]
        return decided

    def _take(self, *args: Any) -> Outcome:
        started = time.perf_counter()
        outcome = super()._take(*args)
        self.taking = time.perf_counter() - started
        return outcome

    @property
    def appending(self) -> float:
        """Encoding the events, inserting them, and recording the publication's outcome."""
        return self.taking - self.deciding

    @contextmanager
    def bare_recorder(self) -> Iterator[ApplicationRecorder]:
        """The event library's recorder on a table of its own in this database."""
        env = {**self._log.env, "PERSISTENCE_MODULE": "eventsourcing.postgres", "CREATE_TABLE": "yes"}
        factory = PostgresFactory(Environment("bare", env))
        try:
            yield factory.application_recorder()
        finally:
            factory.close()

    def encoded(self) -> list[StoredEvent]:
        """The events of the last append as they are stored."""
        return [self._log.mapper.to_stored_event(event) for event in self.events]


def measure(place: Place, sizes: Sizes) -> list[Measure]:
    """Chapters of 60 records by the ledger and, the same events again, by the bare recorder: A B A B."""
    serial = Serial(records=60)
    times: dict[str, list[float]] = {"ours": [], "bare": [], "deciding": [], "registering": [], "locating": []}
    events = 0
    with TimedLedger(place.database("appending")) as ledger, ledger.bare_recorder() as bare:
        for chapter in serial.chapters(sizes.appended_chapters + WARM_UP):
            records = validate(chapter.records, chapter=chapter.number)
            request = PublicationRequest(
                story="serial", chapter=chapter.number, action="publish", text=chapter.text, records=records
            )
            registering = _seconds()
            publication = ledger.register(request).publication
            times["registering"].append(next(registering))
            events += ledger.append(publication, records, "sidecar", text=chapter.text).appended_events
            times["ours"].append(ledger.appending)
            times["deciding"].append(ledger.deciding)
            times["locating"].append(ledger.locating)
            stored = ledger.encoded()
            inserting = _seconds()
            bare.insert_events(stored)
            times["bare"].append(next(inserting))
    middle = {name: median(values[WARM_UP:]) for name, values in times.items()}
    ratio = middle["bare"] / middle["ours"]
    n = sizes.appended_chapters
    chapters = n + WARM_UP
    return [
        Measure(
            name="append beside the bare recorder", value=round(ratio, 3), unit="x", target=at_least(0.7), n=n,
            detail={
                "ours_ms": round(middle["ours"] * MS, 2), "bare_ms": round(middle["bare"] * MS, 2),
                "ours_events_per_second": round(events / chapters / middle["ours"]),
                "bare_events_per_second": round(events / chapters / middle["bare"]),
                "events_per_chapter": round(events / chapters, 1),
            },
        ),
        Measure(
            name="deciding a chapter of 60 records", value=round(middle["deciding"] * MS, 2), unit="ms", n=n,
            detail={"locating_evidence_ms": round(middle["locating"] * MS, 2)},
        ),
        Measure(
            name="registering a chapter of 60 records", value=round(middle["registering"] * MS, 2), unit="ms", n=n
        ),
    ]  # fmt: skip


def _seconds() -> Iterator[float]:
    """Yields once: the seconds since it was made."""
    started = time.perf_counter()

    def since() -> Iterator[float]:
        yield time.perf_counter() - started

    return since()
