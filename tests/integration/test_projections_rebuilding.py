"""A rebuild in bulk against following the log: whatever the history, the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from psycopg import sql
from psycopg_pool import ConnectionPool

from events.chapters import PublicationRequest
from events.ledger import Ledger
from events.sidecar import validate
from events.stored import StoredLog
from projections import parts, progress, sharing, versions
from projections.entities.projection import Entities
from projections.errors import RebuildCancelled, RebuildFailed, UnknownEventType
from projections.projection import BulkProjection, Projection
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from tests.handmade import HandmadeLog, owns, published

PROJECTIONS: list[Projection] = [StoryState(), Entities(), Timeline()]


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[ConnectionPool]:
    Ledger.migrate(postgres_dsn)
    with ConnectionPool(postgres_dsn, min_size=1, max_size=6) as pool:
        yield pool


@pytest.fixture
def ledger(pool: ConnectionPool, postgres_dsn: str) -> Iterator[Ledger]:
    """A log with edits that bring records down and up again, late revisions, links, retractions and checkpoints."""
    with Ledger(postgres_dsn) as ledger:
        history(ledger)
        yield ledger


def history(ledger: Ledger) -> None:
    for story in ("lantern", "harbour"):
        for chapter in range(1, 7):
            publish(ledger, story, chapter, *told(chapter))
        publish(ledger, story, 2, owner("k", "key", "Mara"), text_of(2, 2))
        publish(ledger, story, 2, *told(2), text_of(2, 3))
        publish(ledger, story, 4, *told(4), text_of(4, 2))
        act(ledger, PublicationRequest(story=story, chapter=3, action="retract"))
        publish(ledger, story, 3, *told(3), text_of(3, 2))
        at(ledger, story, "pause", 3)
        at(ledger, story, "pause", 4)
        late(ledger, story)
        merged: dict[str, Any] = {"merge": ["person/mara", "unknown/courier"], "since": 0}
        act(ledger, PublicationRequest(story=story, chapter=0, action="merge", decision=merged))


def late(ledger: Ledger, story: str) -> None:
    """Two revisions of a chapter, the older of which arrives last."""
    first, second = (
        ledger.register(request(story, 5, [owner("o", "key", who)], text_of(5, number))).publication
        for who, number in (("Ilse", 2), ("Mara", 3))
    )
    for publication in (second, first):
        ledger.append(publication, publication.records, "sidecar")


def told(chapter: int) -> list[dict[str, Any]]:
    people = ("Mara", "Tomas", "Ilse")
    found = [
        {"id": "e", "kind": "entity", "type": "character", "name": people[chapter % 3], "aliases": ["the courier"]},
        owner("o", "key", people[chapter % 3]),
        owner("l", "lantern", people[(chapter + 1) % 3]),
        {
            "id": "m",
            "kind": "character_delta",
            "character": "Mara",
            "attribute": "mood",
            "value": f"calm {chapter % 2}",
        },
        {
            "id": "g",
            "kind": "character_delta",
            "character": "Tomas",
            "attribute": "goal",
            "value": "rest",
            "op": "remove",
        },
    ]
    if chapter > 1:
        found[1]["depends_on"] = [f"{chapter - 1}:o"]
    if chapter > 3:
        found[2]["requires"] = [{"key": "owner(key)", "value": people[chapter % 3]}]
    return found


def owner(local: str, thing: str, who: str) -> dict[str, Any]:
    return {"id": local, "kind": "object_delta", "object": thing, "owner": who}


def text_of(chapter: int, revision: int = 1) -> str:
    return f"It was in chapter {chapter}, as told the {revision}. time, that things changed hands."


def request(story: str, chapter: int, records: list[dict[str, Any]], text: str) -> PublicationRequest:
    grounded = [{**record, "evidence": [{"quote": "things changed hands"}]} for record in records]
    checked = validate(grounded, chapter=chapter)
    return PublicationRequest(story=story, chapter=chapter, action="publish", text=text, records=checked)


def publish(ledger: Ledger, story: str, chapter: int, *records: dict[str, Any] | str) -> None:
    text = records[-1] if isinstance(records[-1], str) else text_of(chapter)
    act(ledger, request(story, chapter, [r for r in records if not isinstance(r, str)], text))


def at(ledger: Ledger, story: str, name: str, chapter: int) -> None:
    decision = {"name": name, "at": chapter}
    act(ledger, PublicationRequest(story=story, chapter=0, action="checkpoint", decision=decision))


def act(ledger: Ledger, asked: PublicationRequest) -> None:
    publication = ledger.register(asked).publication
    ledger.append(publication, publication.records, "sidecar")


def contents(pool: ConnectionPool, name: str) -> dict[str, list[str]]:
    """The rows of every table of a read model, without the numbers that only tell them apart, in a fixed order."""
    with pool.connection() as conn:
        schema = versions.live_schema(conn, name)
        query = "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1"
        tables = [row[0] for row in conn.execute(query, (schema,))]
        found = {}
        for table in tables:
            rows = sql.SQL("SELECT to_jsonb(t) - 'id' FROM {}.{} t").format(
                sql.Identifier(schema), sql.Identifier(table)
            )
            found[table] = sorted(str(_meant(row[0])) for row in conn.execute(rows))
        return found


def _meant(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose body says what it says, in whatever order the fields of its payload were stored."""
    if "body" in row:
        row["body"] = orjson.dumps(orjson.loads(row["body"]), option=orjson.OPT_SORT_KEYS)
    return row


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_a_rebuild_leaves_the_rows_that_following_the_log_leaves(
    pool: ConnectionPool, ledger: Ledger, projection: Projection
) -> None:
    assert isinstance(projection, BulkProjection)
    Runner(ledger, pool, [projection], batch=1).catch_up()
    followed = contents(pool, projection.name)
    assert all(followed.values())
    versions.rebuild(pool, ledger, projection)
    assert contents(pool, projection.name) == followed


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_a_rebuilt_read_model_follows_the_log_from_there(
    pool: ConnectionPool, ledger: Ledger, projection: Projection
) -> None:
    with pool.connection() as conn:
        progress.migrate(conn)
    versions.rebuild(pool, ledger, projection)
    publish(ledger, "lantern", 1, owner("o", "key", "Ilse"), text_of(1, 2))
    publish(ledger, "lantern", 7, *told(7))
    Runner(ledger, pool, [projection]).catch_up()
    followed = contents(pool, projection.name)
    versions.rebuild(pool, ledger, projection)
    assert contents(pool, projection.name) == followed


def test_a_rebuilt_read_model_has_its_indexes(pool: ConnectionPool, ledger: Ledger) -> None:
    Runner(ledger, pool, [StoryState()]).catch_up()
    with pool.connection() as conn:
        query = "SELECT count(*) FROM pg_indexes WHERE schemaname = %s"
        before = conn.execute(query, (versions.live_schema(conn, "story_state"),)).fetchone()
    versions.rebuild(pool, ledger, StoryState())
    with pool.connection() as conn:
        after = conn.execute(query, (versions.live_schema(conn, "story_state"),)).fetchone()
    assert before == after
    assert before is not None
    assert before[0] > 5


def test_what_is_recorded_while_a_rebuild_runs_is_in_it_once(pool: ConnectionPool) -> None:
    log = HandmadeLog()
    log.publish("s", published(1), owns("a", 1, "mara").asserted)
    Runner(log, pool, [StoryState()]).catch_up()
    last = log.last_position()
    log.publish("s", published(2), owns("b", 2, "tomas").asserted)
    later = log.last_position()
    positions = iter([last])
    log.last_position = lambda: next(positions, later)  # type: ignore[method-assign]
    versions.rebuild(pool, log, StoryState())
    assert len(contents(pool, "story_state")["records"]) == 2


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_two_processes_leave_the_rows_that_one_leaves(
    pool: ConnectionPool, ledger: Ledger, projection: Projection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pool.connection() as conn:
        progress.migrate(conn)
    assert not sharing.is_worth_it(ledger)
    versions.rebuild(pool, ledger, projection)
    alone = contents(pool, projection.name)
    shared(pool, monkeypatch)
    assert sharing.is_worth_it(ledger)
    versions.rebuild(pool, ledger, projection)
    assert contents(pool, projection.name) == alone
    Runner(ledger, pool, [projection]).catch_up()
    assert contents(pool, projection.name) == alone


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
@pytest.mark.parametrize("processes", [1, 2])
def test_a_story_that_is_read_in_parts_leaves_the_rows_that_it_leaves_as_a_whole(
    pool: ConnectionPool,
    ledger: Ledger,
    projection: Projection,
    processes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Runner(ledger, pool, [projection]).catch_up()
    followed = contents(pool, projection.name)
    monkeypatch.setattr(parts, "REMEMBERED", 3)
    monkeypatch.setattr(parts, "WORTH_PARTING", 5)
    if processes == 2:
        shared(pool, monkeypatch)
    sizes = StoredLog(ledger.pool.connection).sizes()
    assert len(parts.story_parts(ledger.stories(), sizes, processes)) > 4
    versions.rebuild(pool, ledger, projection)
    assert contents(pool, projection.name) == followed


@pytest.mark.parametrize("processes", [1, 2])
def test_keys_that_are_too_many_to_remember_are_folded_from_the_table(
    pool: ConnectionPool, ledger: Ledger, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    Runner(ledger, pool, [StoryState()]).catch_up()
    followed = contents(pool, "story_state")
    monkeypatch.setattr(parts, "KEYS_REMEMBERED", 3)
    if processes == 2:
        shared(pool, monkeypatch)
    stories = parts.story_parts(ledger.stories(), StoredLog(ledger.pool.connection).sizes(), processes)
    assert parts.without_keys(stories)
    versions.rebuild(pool, ledger, StoryState())
    assert contents(pool, "story_state") == followed


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_a_log_that_is_not_stored_is_rebuilt_to_the_same_rows(
    pool: ConnectionPool, ledger: Ledger, projection: Projection
) -> None:
    Runner(ledger, pool, [projection]).catch_up()
    followed = contents(pool, projection.name)
    versions.rebuild(pool, HandmadeLog(ledger.events_after(0, 100_000)), projection)
    assert contents(pool, projection.name) == followed


def aged(pool: ConnectionPool, topic: str) -> int:
    """Write the events of a topic as an old release did; how many there are."""
    query = """
    UPDATE ledger.stored_events SET state = convert_to((
        convert_from(state, 'UTF8')::jsonb - 'provenance' || jsonb_build_object(
            'v', 1,
            'order', jsonb_path_query_array(convert_from(state, 'UTF8')::jsonb, '$.order[1 to 2]'),
            'evidence', (SELECT jsonb_agg(jsonb_build_object('start', span -> 0, 'end', span -> 1))
                         FROM jsonb_array_elements(convert_from(state, 'UTF8')::jsonb -> 'evidence') AS span))
    )::text, 'UTF8') WHERE topic = %s
    """
    with pool.connection() as conn:
        return conn.execute(query.encode(), (topic,)).rowcount


@pytest.mark.parametrize("topic", ["fabula.record-asserted", "fabula.record-carried"])
def test_events_of_an_old_release_are_brought_up_to_date_by_a_rebuild_too(
    pool: ConnectionPool, ledger: Ledger, topic: str
) -> None:
    Runner(ledger, pool, [StoryState()]).catch_up()
    followed = contents(pool, "story_state")
    assert aged(pool, topic) > 0
    versions.rebuild(pool, ledger, StoryState())
    assert contents(pool, "story_state") == followed


@pytest.mark.parametrize("change", ["topic = 'fabula.record-asserted-otherwise'", "state = replaced"])
@pytest.mark.parametrize("processes", [1, 2])
def test_a_rebuild_refuses_a_stored_event_of_a_newer_release(
    pool: ConnectionPool, ledger: Ledger, change: str, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if processes == 2:
        shared(pool, monkeypatch)
    newer = "convert_to((convert_from(state, 'UTF8')::jsonb || '{\"v\": 99}')::text, 'UTF8')"
    with pool.connection() as conn:
        progress.migrate(conn)
        query = f"UPDATE ledger.stored_events SET {change.replace('replaced', newer)} WHERE originator_version = 2"
        conn.execute(query.encode())
    with pytest.raises(UnknownEventType, match=r"fabula\.record-asserted"):
        versions.rebuild(pool, ledger, StoryState())
    assert schemas(pool) == []


def test_a_second_process_that_ends_early_ends_the_rebuild_and_leaves_nothing(
    pool: ConnectionPool, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared(pool, monkeypatch)
    monkeypatch.setattr(sharing, "MODULE", "projections.no_such_module")
    with pytest.raises(RebuildFailed, match="story_state"):
        versions.rebuild(pool, ledger, StoryState())
    assert schemas(pool) == []


def test_a_rebuild_by_two_processes_can_be_cancelled(
    pool: ConnectionPool, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared(pool, monkeypatch)
    with pytest.raises(RebuildCancelled):
        versions.rebuild(pool, ledger, StoryState(), cancelled=lambda: True)
    assert schemas(pool) == []


def shared(pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pool.connection() as conn:
        progress.migrate(conn)
    monkeypatch.setattr(sharing, "WORTH_IT", 1)
    monkeypatch.setattr(sharing, "cores", lambda: 2)


def schemas(pool: ConnectionPool) -> list[str]:
    with pool.connection() as conn:
        rows = conn.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", ("story_state%",)).fetchall()
        return [row[0] for row in rows]
