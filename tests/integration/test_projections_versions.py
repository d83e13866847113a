"""Rebuilding read models beside the live ones, on real PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from events.domain_events import CheckpointNamed, EntityLinked, EntityUnlinked
from events.errors import ReadModelBehind
from events.ids import Chapter, EntityId, Sequence
from projections import progress, versions
from projections.entities.projection import Entities
from projections.errors import RebuildCancelled, RebuildRunning, UnknownEventType
from projections.projection import Projection
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from tests.handmade import HandmadeLog, HandmadeRecord, mention, owns, published, retracted
from tests.integration.test_projections_runner import Listing, seen, unknown


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[ConnectionPool]:
    with ConnectionPool(postgres_dsn, min_size=1, max_size=10) as pool:
        yield pool


@pytest.fixture
def log() -> HandmadeLog:
    log = HandmadeLog()
    for chapter in range(1, 30):
        log.publish("s", published(chapter), owns(f"u{chapter}", chapter, f"person {chapter % 3}").asserted)
    return log


def schemas(pool: ConnectionPool) -> list[tuple[str, int, bool]]:
    with pool.connection() as conn:
        return [(row.schema, row.position, row.live) for row in progress.all_versions(conn)]


def namespaces(pool: ConnectionPool) -> list[str]:
    with pool.connection() as conn:
        query = (
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'listing%' OR nspname LIKE 'story_state%' ORDER BY 1"
        )
        return [row[0] for row in conn.execute(query)]


class Newer(Listing):
    version = 2


def test_before_the_first_build_reading_says_that_the_read_model_is_behind(pool: ConnectionPool) -> None:
    with pool.connection() as conn:
        progress.migrate(conn)
        with pytest.raises(ReadModelBehind, match="has not been built yet"):
            versions.live_schema(conn, "listing")


def test_a_rebuild_takes_the_place_of_the_live_version_and_drops_it(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()]).catch_up()
    schema = versions.rebuild(pool, log, Listing())
    assert schemas(pool) == [(schema, log.last_position(), True)]
    assert namespaces(pool) == [schema]
    assert seen(pool) == [recorded.position for recorded in log.events]


def test_bumping_one_version_rebuilds_that_read_model_and_leaves_the_others_alone(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    Runner(log, pool, [Listing(), Listing("listing_too")]).catch_up()
    before = {schema for schema, _, _ in schemas(pool)}
    Runner(log, pool, [Newer(), Listing("listing_too")]).catch_up()
    assert {schema for schema, _, _ in schemas(pool)} == {"listing_v2_a", "listing_too_v1_a"}
    assert "listing_too_v1_a" in before


def test_a_cancelled_rebuild_leaves_nothing_behind(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()]).catch_up()
    before = schemas(pool)
    with pytest.raises(RebuildCancelled):
        versions.rebuild(pool, log, Listing(), cancelled=lambda: len(namespaces(pool)) == 2)
    assert schemas(pool) == before
    assert namespaces(pool) == ["listing_v1_a"]


def test_a_rebuild_that_fails_leaves_nothing_behind(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()]).catch_up()
    with pytest.raises(ValueError, match="cannot stand"):
        versions.rebuild(pool, log, Listing(broken=True))
    assert namespaces(pool) == ["listing_v1_a"]


def test_what_a_killed_rebuild_left_is_removed_by_the_next(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()]).catch_up()
    with pool.connection() as conn:
        conn.execute("CREATE SCHEMA listing_v1_b")
        conn.execute(
            "INSERT INTO projections.read_models (schema, name, version, live) VALUES ('listing_v1_b', 'listing', 1, false)"
        )
    schema = versions.rebuild(pool, log, Listing())
    assert namespaces(pool) == [schema]


def test_a_rebuild_refuses_an_event_of_an_unknown_type(pool: ConnectionPool, log: HandmadeLog) -> None:
    log.publish("s", unknown)
    with pool.connection() as conn:
        progress.migrate(conn)
    for projection in (Listing(), StoryState()):
        with pytest.raises(UnknownEventType, match=r"fabula\.from-the-future"):
            versions.rebuild(pool, log, projection)
    assert namespaces(pool) == []


def test_a_second_rebuild_of_the_same_read_model_is_refused_while_the_first_runs(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    with pool.connection() as conn:
        progress.migrate(conn)
    with versions.candidate(pool, log, Listing()), pytest.raises(RebuildRunning):
        versions.rebuild(pool, log, Listing())


def test_readers_see_the_old_version_until_the_new_one_has_read_as_far(pool: ConnectionPool, log: HandmadeLog) -> None:
    Runner(log, pool, [Listing()]).catch_up()
    observed = []

    def look() -> None:
        if len(namespaces(pool)) == 2:
            observed.append(len(seen(pool)))

    log.on_read = look
    versions.rebuild(pool, log, Listing())
    assert set(observed) == {len(log.events)}


def test_chapters_published_all_through_a_rebuild_are_in_the_result_once(
    pool: ConnectionPool, log: HandmadeLog
) -> None:
    runner = Runner(log, pool, [Listing()], poll=0.01)
    stop, publishing = threading.Event(), threading.Event()

    def publish() -> None:
        chapter = 100
        while not publishing.is_set():
            chapter += 1
            log.publish("t", published(chapter), owns(f"w{chapter}", chapter, "tomas").asserted)
            publishing.wait(0.002)

    threads = [threading.Thread(target=publish), threading.Thread(target=runner.run_forever, args=(stop,))]
    for thread in threads:
        thread.start()
    try:
        runner.wait_for(1, 10)
        for _ in range(3):
            versions.rebuild(pool, log, Listing())
    finally:
        publishing.set()
        threads[0].join()
        runner.wait_for(log.last_position(), 20)
        stop.set()
        threads[1].join(timeout=10)
    assert seen(pool) == [recorded.position for recorded in log.events]


# --- the rebuilt tables are the ones that following the log leaves ---

RECORD_TABLE = {"records": "story, uid, recorded, live, chapter, kind, body"}
STORY_STATE_TABLES = RECORD_TABLE | {
    "assertions": "story, uid, recorded, node_key, value_key, chapter, setting::text",
    "intervals": "story, node_key, value_key, valid, recorded",
    "chapters": "story, chapter, revision, position, recorded, text_hash",
    "publications": "story, first_position, last_position, correlation, recorded_at",
    "chapter_positions": "story, position, chapter",
    "key_entities": "story, entity, node_key",
    "checkpoints": "story, name, recorded, at",
}
ENTITIES_TABLES = RECORD_TABLE | {
    "mentions": "story, uid, recorded, entity, slot, surface, introduces, chapter, start",
    "names": "story, uid, recorded, entity, name, name_key, rank",
    "edges": "story, uid, recorded, source, target, type, label, polarity, modality, record, evidence",
    "links": "story, recorded, a, b, origin, chapter, rank, record",
}
TIMELINE_TABLES = RECORD_TABLE | {"appearances": "story, uid, recorded, entity, chapter, present"}


def contents(pool: ConnectionPool, schema: str, tables: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    with pool.connection() as conn, conn.transaction():
        progress.use_schema(conn, schema)
        return {
            table: sorted(conn.execute(f"SELECT {columns} FROM {table}".encode()).fetchall(), key=repr)
            for table, columns in tables.items()
        }


def edited(log: HandmadeLog) -> None:
    """Edits over all that was published: records fall, come back, move, two people turn out to be one and are not."""
    makers: list[Callable[[dict[str, Any]], Any]] = []
    for chapter in (3, 9, 10, 20):
        record = owns(f"u{chapter}", chapter, f"person {chapter % 3}")
        log.publish("s", published(chapter, 2), record.invalidated)
        log.publish("t", published(chapter), introduced(f"t{chapter}", chapter).asserted)
        log.publish("t", linked(chapter))
        makers.append(replace(record, revision=2, start=chapter).carried)
        makers.append(record.reinstated)
    log.publish("s", *makers)
    log.publish("t", unlinked(9), unlinked(20), linked(20))
    log.publish("s", checkpoint("the middle", 10))
    log.publish("s", checkpoint("the middle", 12))
    log.publish("s", retracted(4, 2), owns("u4", 4, "person 1").invalidated)
    log.publish("s", published(40, 2))
    log.publish("s", published(40, 1, superseded=True))


def introduced(uid: str, chapter: int) -> HandmadeRecord:
    payload = {"name": "Ilse", "aliases": ["the miller"], "type": "character"}
    return HandmadeRecord(uid, chapter, "entity", payload, mentions=(mention("name", "person/ilse", "Ilse"),))


def linked(chapter: int) -> Callable[[dict[str, Any]], EntityLinked]:
    return lambda shared: EntityLinked(**shared, **_link(chapter))


def unlinked(chapter: int) -> Callable[[dict[str, Any]], EntityUnlinked]:
    return lambda shared: EntityUnlinked(**shared, **_link(chapter))


def _link(chapter: int) -> dict[str, Any]:
    a, b = EntityId("unknown/miller"), EntityId("person/ilse")
    return {"chapter": Chapter(chapter), "a": a, "b": b, "origin": "alias", "rank": 0, "record": None}


def checkpoint(name: str, at: int) -> Callable[[dict[str, Any]], CheckpointNamed]:
    chapter = Chapter(at)
    return lambda shared: CheckpointNamed(**shared, chapter=chapter, sequence=Sequence(1), name=name, at=chapter)


@pytest.mark.parametrize(
    ("projection", "tables"),
    [(StoryState(), STORY_STATE_TABLES), (Entities(), ENTITIES_TABLES), (Timeline(), TIMELINE_TABLES)],
    ids=["story_state", "entities", "timeline"],
)
def test_a_rebuild_gives_the_tables_row_for_row(
    pool: ConnectionPool, log: HandmadeLog, projection: Projection, tables: dict[str, str]
) -> None:
    edited(log)
    Runner(log, pool, [projection], batch=7).catch_up()
    with pool.connection() as conn:
        live = versions.live_schema(conn, projection.name)
    with versions.candidate(pool, log, projection) as schema:
        rebuilt = contents(pool, schema, tables)
    assert all(rebuilt.values()), "a table without rows proves nothing"
    assert rebuilt == contents(pool, live, tables)
