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
from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from projections import sharing, versions
from projections.embedding import HashEmbedder
from projections.entities.projection import Entities
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import VectorCache
from projections.projection import Projection
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.evaluation.bench import by_library, child
from services.evaluation.bench.child import measured
from services.evaluation.bench.measures import Measure, at_least, at_most
from services.evaluation.bench.place import Place, pool, publish_all
from services.evaluation.bench.serial import Serial
from services.evaluation.bench.sizes import Sizes


def follow(place: Place, sizes: Sizes) -> list[Measure]:
    """The events of one story by our runner, all read models and the state alone, and by the library's runner."""
    dsn = place.database("following")
    publish_all(dsn, "serial", Serial(records=60).chapters(sizes.followed_chapters))
    together, state_only, all_of_them = (
        place.database(name, template="following") for name in ("at_once", "library_state", "library_all")
    )
    plain = [by_library.plain_rate(dsn, sizes.library_events)]
    with Ledger(dsn) as ledger, pool(dsn) as connections:
        count = _count(dsn)
        paces = {
            each.name: _pace(Runner(ledger, connections, [each]), count)
            for each in every_read_model(ledger, connections)
        }
    with Ledger(together) as ledger, pool(together) as connections:
        at_once = _pace_at_once(Runner(ledger, connections, every_read_model(ledger, connections)), ledger, count)
    plain.append(by_library.plain_rate(dsn, sizes.library_events))
    same = [_same_rate(state_only, sizes, everything=False), _same_rate(all_of_them, sizes, everything=True)]
    state = paces["story_state"].wall
    return [
        Measure(
            name="following the log, story state, beside the library's runner",
            value=round(state / same[0], 1), unit="x", target=at_least(10), n=count,
            detail={
                "library_events_per_second": round(same[0]),
                **{f"{name}_events_per_second": round(pace.wall) for name, pace in paces.items()},
                **{f"{name}_events_per_cpu_second": round(pace.cpu) for name, pace in paces.items()},
            },
        ),
        Measure(
            name="following the log, every read model, beside the library's runner",
            value=round(at_once.wall / same[1], 1), unit="x", target=at_least(10), n=count,
            detail={
                "library_events_per_second": round(same[1]), "events_per_second": round(at_once.wall),
                "events_per_cpu_second": round(at_once.cpu),
            },
        ),
        Measure(
            name="following the log, story state, beside the library's runner with one plain table",
            value=round(state / (sum(plain) / 2), 1), unit="x", target=at_least(10), n=count,
            detail={
                "library_events_per_second": [round(rate) for rate in plain],
                "every_read_model": round(at_once.wall / (sum(plain) / 2), 1),
            },
        ),
    ]  # fmt: skip


def _same_rate(dsn: str, sizes: Sizes, *, everything: bool) -> float:
    """The pace of the library's runner at the same work: all read models, or the state alone."""
    with Ledger(dsn) as ledger, pool(dsn) as connections:
        projections = every_read_model(ledger, connections) if everything else [StoryState()]
        runner = Runner(ledger, connections, projections)
        runner.prepare()
        return by_library.same_rate(dsn, sizes.library_events, connections, projections)


def every_read_model(ledger: Ledger, connections: ConnectionPool[Any]) -> list[Projection]:
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
