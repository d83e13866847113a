"""A sweep over all checkpoints says of each what a reader finds who reads it by itself, whatever stands in the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql
from psycopg_pool import ConnectionPool

from events.errors import UnknownStory
from events.ledger import Ledger
from projections import versions
from projections.projection import Conn
from services.projecting.held_rows import HeldRows
from services.projecting.replaying import COMPARED
from services.projecting.sweeping import Sweep
from services.reading.quoting import Texts
from services.reading.session import Schemas, Session, open_session
from services.reading.slices import compute
from tests.integration.test_guarantees import System, _story
from tests.properties.histories import CHAPTERS, Published, history

CHECKPOINTS = range(1, CHAPTERS + 3)

FAULTS = """
DELETE FROM {state}.intervals WHERE {one}
UPDATE {state}.intervals SET value_key = '=no such value' WHERE {one}
UPDATE {state}.intervals SET valid = int4range(lower(valid) + 1, upper(valid) + 1) WHERE {one}
UPDATE {state}.intervals SET valid = int4range(lower(valid), lower(valid) + 1) WHERE {one}
UPDATE {state}.intervals SET valid = int4range(lower(valid), NULL) WHERE {one}
UPDATE {state}.intervals SET recorded = 'empty' WHERE {one}
INSERT INTO {state}.intervals SELECT id + 9999, story, node_key, value_key, valid, recorded FROM {state}.intervals WHERE {one}
DELETE FROM {state}.assertions WHERE {one}
UPDATE {state}.assertions SET value_key = '=no such value' WHERE {one}
UPDATE {state}.assertions SET chapter = chapter + 1 WHERE {one}
UPDATE {state}.assertions SET start = start + 100 WHERE {one}
UPDATE {state}.assertions SET node_key = 'owner(thing/no such thing)' WHERE {one}
UPDATE {state}.assertions SET setting = (SELECT max(setting) FROM {state}.assertions WHERE story = {story}) WHERE {one}
UPDATE {state}.assertions SET recorded = 'empty' WHERE {one}
DELETE FROM {state}.records WHERE {one}
UPDATE {state}.records SET body = (SELECT max(body) FROM {state}.records r WHERE r.story = {story}) WHERE {one}
DELETE FROM {state}.key_entities WHERE {any}
DELETE FROM {entities}.mentions WHERE {one}
UPDATE {entities}.mentions SET surface = 'Nobody at all' WHERE {one}
UPDATE {entities}.mentions SET introduces = NOT introduces WHERE {one}
UPDATE {entities}.mentions SET chapter = chapter + 1 WHERE {one}
UPDATE {entities}.mentions SET entity = 'person/ilse' WHERE {one}
DELETE FROM {entities}.links WHERE {one}
UPDATE {entities}.links SET chapter = chapter + 2 WHERE {one}
UPDATE {entities}.links SET a = b, b = a WHERE {one}
UPDATE {entities}.links SET recorded = 'empty' WHERE {one}
DELETE FROM {state}.publications WHERE {any}
""".strip().split("\n")
"""What may be wrong with a row; `{one}` is one of the story's, by a number that is drawn."""


@pytest.fixture(scope="module")
def pool(module_dsn: str) -> Iterator[ConnectionPool[Any]]:
    Ledger.migrate(module_dsn)
    with ConnectionPool(module_dsn, min_size=1, max_size=8) as pool:
        yield pool


@pytest.fixture(scope="module")
def system(module_dsn: str, pool: ConnectionPool[Any]) -> Iterator[System]:
    system = System(module_dsn, pool)
    yield system
    system.ledger.close()


@contextmanager
def taken_back(pool: ConnectionPool[Any]) -> Iterator[Conn]:
    """A transaction of which nothing stays."""
    with pool.connection() as conn, conn.transaction(force_rollback=True):
        yield conn


def opened(conn: Conn) -> Session:
    return open_session(conn, Schemas(*(versions.live_schema(conn, name) for name in COMPARED)), 2**62)


def swept(session: Session, story: str, believed: int) -> list[str]:
    moment = session.moment(story, None, believed)
    return [*Sweep(session, moment, HeldRows.of(session, moment)).digests(CHECKPOINTS)]


def read_one_by_one(session: Session, story: str, believed: int) -> list[str]:
    return [compute(session, session.moment(story, at, believed), Texts()).digest for at in CHECKPOINTS]


def plant(conn: Conn, session: Session, story: str, fault: str, number: int) -> None:
    """Puts the fault into the row of that number, counted over the story's rows of the table from the first on again."""
    table = fault.split()[1 if fault.startswith("UPDATE") else 2]
    schemas = {"state": sql.Identifier(session.schemas.state), "entities": sql.Identifier(session.schemas.entities)}
    counted = sql.SQL(
        f"(SELECT {{row}} FROM {table} WHERE story = {{story}} ORDER BY {{row}} OFFSET {{number}} %"
        f" greatest(1, (SELECT count(*) FROM {table} WHERE story = {{story}})) LIMIT 1)"
    )
    parts = {"story": sql.Literal(story), "number": sql.Literal(number), **schemas}
    one = sql.SQL("id = ") + counted.format(row=sql.Identifier("id"), **parts)
    any_ = sql.SQL("ctid = ") + counted.format(row=sql.Identifier("ctid"), **parts)
    conn.execute(sql.SQL(fault).format(one=one, any=any_, **parts))


through_postgres = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@through_postgres
@given(found=history(most=8), random=st.randoms(use_true_random=False))
def test_a_sweep_has_the_digest_of_every_checkpoint_at_every_position(
    system: System, pool: ConnectionPool[Any], found: list[Published], random: Any
) -> None:
    story = _story()
    publications = system.register(story, found)
    positions = [system.append(each) for each in random.sample(publications, len(publications))]
    with taken_back(pool) as conn:
        session = opened(conn)
        for position in positions:
            assert swept(session, story, position) == read_one_by_one(session, story, position)


@settings(through_postgres, max_examples=8)
@given(found=history(most=7), number=st.integers(0, 30))
def test_a_sweep_over_faulty_tables_has_the_digest_that_a_reader_would_get(
    system: System, pool: ConnectionPool[Any], found: list[Published], number: int
) -> None:
    story = _story()
    position = max([system.append(each) for each in system.register(story, found)])
    for fault in FAULTS:
        with taken_back(pool) as conn:
            session = opened(conn)
            plant(conn, session, story, fault, number)
            found_by = [_outcome(way, session, story, position) for way in (swept, read_one_by_one)]
            assert found_by[0] == found_by[1], fault


def _outcome(way: Callable[[Session, str, int], list[str]], session: Session, story: str, position: int) -> list[str]:
    try:
        return way(session, story, position)
    except UnknownStory as error:  # all that was published is gone
        return [str(error)]


TOLD: tuple[tuple[dict[str, Any], ...], ...] = (
    (
        {"kind": "object_delta", "object": "brass key", "owner": "Mara"},
        {"kind": "entity", "type": "character", "name": "Mara Voss", "aliases": ["Mara"]},
        {"kind": "knowledge", "knower": "Ilse", "fact": "The will is burnt."},
        {"kind": "object_delta", "object": "will", "owner": "the stranger"},
    ),
    (
        {"kind": "entity", "type": "character", "name": "Tomas Reyle", "aliases": ["Tomas"]},
        {"kind": "entity", "type": "character", "name": "Ilse"},
        {"kind": "object_delta", "object": "brass key", "owner": "Tomas"},
        {"kind": "presence", "entity": "Mara", "location": "the mill"},
    ),
    (
        {"kind": "entity", "type": "character", "name": "the stranger"},
        {"kind": "object_delta", "object": "brass key", "owner": "Mara"},
        {"kind": "knowledge", "knower": "Ilse", "fact": "the will is burnt"},
    ),
    (
        {"kind": "identity", "a": "the stranger", "b": "Tomas Reyle"},
        {"kind": "object_delta", "object": "lamp", "owner": "the stranger"},
    ),
    (
        {"kind": "object_delta", "object": "lamp", "owner": "Mara"},
        {"kind": "object_delta", "object": "lamp", "owner": "Mara", "confidence": 0.5},
    ),
)


@pytest.fixture(scope="module")
def told(system: System) -> tuple[str, int]:
    """A story in which every table has something to say, and its last position."""
    story = _story()
    chapters = [
        Published(number, number, tuple({**record, "id": f"r{n}"} for n, record in enumerate(records)))
        for number, records in enumerate(TOLD, start=1)
    ]
    return story, max([system.append(each) for each in system.register(story, chapters)])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_each_kind_is_found(pool: ConnectionPool[Any], told: tuple[str, int], fault: str) -> None:
    story, position = told
    with taken_back(pool) as conn:
        sound = swept(opened(conn), story, position)
    for number in range(40):
        with taken_back(pool) as conn:
            session = opened(conn)
            plant(conn, session, story, fault, number)
            if swept(session, story, position) != sound:
                return
    pytest.fail("no row with this fault makes a difference")
