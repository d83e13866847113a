"""How fast read models follow the log and are rebuilt, beside the event library's own runner in the same run."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection as LibraryProjection
from eventsourcing.projection import ProjectionRunner
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL
from psycopg_pool import ConnectionPool

from events.domain_events import RecordInvalidated, RecordReinstated, RecordStated, StoryEvent
from events.ledger import Ledger
from events.log import Log
from projections import sharing, versions
from projections.embedding import HashEmbedder
from projections.entities.projection import Entities
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import VectorCache
from projections.projection import Projection
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.evaluation.bench import child
from services.evaluation.bench.child import measured
from services.evaluation.bench.measures import Measure, at_least, at_most
from services.evaluation.bench.place import Place, pool, publish_all
from services.evaluation.bench.serial import Serial
from services.evaluation.bench.sizes import Sizes

_TABLE = SQL(
    "CREATE TABLE IF NOT EXISTS {0}.library_state (story text, uid text, place int, node_key text, value_key text,"
    " chapter int, live boolean, notification_id bigint, PRIMARY KEY (story, uid, place))"
)


class LibraryView(PostgresTrackingRecorder):
    """A story state of the plainest kind: what live records set, one row a setting."""

    def __init__(self, datastore: PostgresDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.sql_create_statements.append(_TABLE.format(SQL(datastore.schema)))
        self._upsert = SQL(
            "INSERT INTO {0}.library_state VALUES (%s, %s, %s, %s, %s, %s, true, %s) ON CONFLICT (story, uid, place)"
            " DO UPDATE SET node_key = excluded.node_key, value_key = excluded.value_key"
        ).format(SQL(datastore.schema))
        self._turn = SQL("UPDATE {0}.library_state SET live = %s WHERE story = %s AND uid = %s").format(
            SQL(datastore.schema)
        )

    def record(self, event: StoryEvent, tracking: Tracking) -> None:
        """Writes what the event says, and that it was read, in one transaction."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            if isinstance(event, RecordStated):
                for place, setting in enumerate(event.settings):
                    value = setting.value and setting.value.key
                    row = (event.story, event.uid, place, setting.node_key, value, event.chapter)
                    cursor.execute(self._upsert, (*row, tracking.notification_id), prepare=True)
            elif isinstance(event, RecordInvalidated | RecordReinstated):
                live = isinstance(event, RecordReinstated)
                cursor.execute(self._turn, (live, event.story, event.uid), prepare=True)


class LibraryState(LibraryProjection[LibraryView]):
    """The story state as the library's documentation builds read models: one transaction an event."""

    name = "library"

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        self.view.record(domain_event, tracking)


def follow(place: Place, sizes: Sizes) -> list[Measure]:
    """The events of one story by our runner, all read models and the state alone, and by the library's runner."""
    dsn = place.database("following")
    publish_all(dsn, "serial", Serial(records=60).chapters(sizes.followed_chapters))
    together = place.database("following_together", template="following")
    library = _library_rate(dsn, sizes.library_events)
    with Ledger(dsn) as ledger, pool(dsn) as connections:
        count = _count(dsn)
        paces = {
            each.name: _pace(Runner(ledger, connections, [each]), count) for each in everything(ledger, connections)
        }
    with Ledger(together) as ledger, pool(together) as connections:
        at_once = _pace_at_once(Runner(ledger, connections, everything(ledger, connections)), ledger, count)
    again = _library_rate(dsn, sizes.library_events)
    bare = (library + again) / 2
    detail = {
        "library_events_per_second": [round(library), round(again)],
        "events": count,
        **{f"{name}_events_per_second": round(pace.wall) for name, pace in paces.items()},
        **{f"{name}_events_per_cpu_second": round(pace.cpu) for name, pace in paces.items()},
    }
    return [
        Measure(
            name="following the log, story state, beside the library's runner",
            value=round(paces["story_state"].wall / bare, 1), unit="x", target=at_least(10), n=count, detail=detail,
        ),
        Measure(
            name="following the log, every read model, beside the library's runner",
            value=round(at_once.wall / bare, 1), unit="x", target=at_least(10), n=count,
            detail={"events_per_second": round(at_once.wall), "events_per_cpu_second": round(at_once.cpu)},
        ),
    ]  # fmt: skip


def everything(ledger: Ledger, connections: ConnectionPool[Any]) -> list[Projection]:
    """Every read model in PostgreSQL."""
    texts = PassagesProjection(ledger, VectorCache(connections, HashEmbedder()))
    return [StoryState(), Entities(), Timeline(), texts]


@dataclass(frozen=True, slots=True)
class Pace:
    """Events a second, and a second of this process's own CPU time: that of PostgreSQL is not in it."""

    wall: float
    cpu: float


@contextmanager
def _paced(count: int) -> Iterator[Callable[[], Pace]]:
    """What was done since, of so many events."""
    started, worked = time.perf_counter(), time.process_time()
    yield lambda: Pace(count / (time.perf_counter() - started), count / (time.process_time() - worked))


def _pace_at_once(runner: Runner, ledger: Ledger, count: int) -> Pace:
    """The pace of a runner that follows with a thread for each read model, as a server does."""
    runner.prepare()
    stop = threading.Event()
    thread = threading.Thread(target=runner.run_forever, args=(stop,), daemon=True)
    with _paced(count) as pace:
        thread.start()
        try:
            runner.wait_for(ledger.last_position(), 3_600)
            return pace()
        finally:
            stop.set()
            thread.join()


def _pace(runner: Runner, count: int) -> Pace:
    runner.prepare()
    with _paced(count) as pace:
        runner.catch_up()
        return pace()


def _library_rate(dsn: str, events: int) -> float:
    """Events a second of the library's runner over the first events of the log."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("DROP SCHEMA IF EXISTS library CASCADE")
        conn.execute("CREATE SCHEMA library")
        row = conn.execute(
            "SELECT notification_id FROM ledger.stored_events ORDER BY 1 OFFSET %s LIMIT 1", (events - 1,)
        ).fetchone()
    assert row is not None, "the log is longer than what the library is given"
    started = time.perf_counter()
    with ProjectionRunner(
        application_class=Log, projection_class=LibraryState, view_class=LibraryView, env=_environment(dsn)
    ) as runner:
        runner.wait(row[0], timeout=600)
        seconds = time.perf_counter() - started
    return events / seconds


def _environment(dsn: str) -> dict[str, str]:
    parts = conninfo_to_dict(dsn)
    shared = {
        "PERSISTENCE_MODULE": "events.recorder:LedgerFactory",
        "POSTGRES_DBNAME": str(parts["dbname"]),
        "POSTGRES_HOST": str(parts["host"]),
        "POSTGRES_PORT": str(parts["port"]),
        "POSTGRES_USER": str(parts["user"]),
        "POSTGRES_PASSWORD": str(parts.get("password") or ""),
        "POSTGRES_SCHEMA": "ledger",
        "ORIGINATOR_ID_TYPE": "text",
        "CREATE_TABLE": "no",
    }
    return {**shared, "LIBRARY_POSTGRES_SCHEMA": "library", "LIBRARY_CREATE_TABLE": "yes"}


def rebuild(place: Place, sizes: Sizes) -> list[Measure]:
    """The story state of a log of several stories rebuilt, in a process of its own."""
    dsn = place.database("rebuilding")
    publish_all(dsn, "serial-0", Serial(records=60).chapters(sizes.rebuilt_chapters))
    multiply(dsn, "serial-0", sizes.rebuilt_events)
    count = _count(dsn)
    found = measured("services.evaluation.bench.projecting:rebuild_here", dsn=dsn)
    place.drop("rebuilding")
    rate = count / found["rebuilding"]
    detail = {
        "seconds": round(found["rebuilding"], 2),
        "cpu_seconds": round(found["working"], 2),
        "events_per_cpu_second": round(count / found["working"]),
        "starting_a_process_seconds": round(_starting(), 2),
    }
    memory = round(found["peak_rss_mb"])
    return [
        Measure(
            name="rebuilding the story state", value=round(rate), unit="events/s", target=at_least(30_000), n=count,
            detail=detail,
        ),
        Measure(
            name="rebuilding the story state, peak memory", value=memory, unit="MB", target=at_most(500), n=count,
            detail={"before_mb": round(found["rss_before_mb"])},
        ),
    ]  # fmt: skip


def rebuild_here(dsn: str) -> dict[str, Any]:
    """Rebuild the story state in this process: the seconds it took, and the CPU seconds of the processes that took part.

    This process has started before; the start of the second one is in both. PostgreSQL's CPU time is in neither.
    """
    with Ledger(dsn) as ledger, pool(dsn) as connections:
        Runner(ledger, connections, []).prepare()
        started, worked = time.perf_counter(), child.cpu_seconds()
        versions.rebuild(connections, ledger, StoryState())
        return {"rebuilding": time.perf_counter() - started, "working": child.cpu_seconds() - worked}


def _starting() -> float:
    """Seconds that the second process of a rebuild takes to start, while the first drops indexes and begins."""
    started = time.perf_counter()
    ready = f"import {sharing.MODULE}, {StoryState.__module__}"
    subprocess.run([sys.executable, "-c", ready], check=True)
    return time.perf_counter() - started


def multiply(dsn: str, story: str, events: int) -> None:
    """Copies of a story under other names, until the log has so many events (or a few more)."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        number = 0
        while _count(dsn) < events:
            number += 1
            other = f"{story.removesuffix('-0')}-{number}"
            names = {"story": story, "other": other, "quoted": f'"{story}/', "new": f'"{other}/'}
            conn.execute(_COPY_EVENTS, names)
            conn.execute(_COPY_PUBLICATIONS, names)
        conn.execute("ANALYZE")


_COPY_EVENTS = """
INSERT INTO ledger.stored_events (originator_id, originator_version, topic, state)
SELECT %(other)s, originator_version, topic,
       convert_to(replace(convert_from(state, 'UTF8'), %(quoted)s, %(new)s), 'UTF8')
FROM ledger.stored_events WHERE originator_id = %(story)s ORDER BY originator_version
"""
_COPY_PUBLICATIONS = """
INSERT INTO ledger.publications (story, sequence, chapter, revision, action, content_hash, text_hash, body, status,
    published_at, first_position, last_position, events, rejected, warnings)
SELECT %(other)s, sequence, chapter, revision, action, content_hash, text_hash, body, status,
    published_at, first_position, last_position, events, rejected, warnings
FROM ledger.publications WHERE story = %(story)s
"""


def _count(dsn: str) -> int:
    with psycopg.connect(dsn) as conn:
        row = conn.execute("SELECT count(*) FROM ledger.stored_events").fetchone()
        return 0 if row is None else int(row[0])
