"""Many publications taken in at once against one after another: whatever the history, the same rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from events.chapters import Publication, PublicationRequest
from events.domain_events import Recorded
from events.ledger import Ledger
from events.sidecar import validate
from events.stored import StoredLog
from events.validity import Assertion, fold
from projections.entities.projection import Entities
from projections.following import take_in
from projections.log_batch import LogBatch
from projections.projection import Conn, Projection
from projections.publications import publications
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from projections.words import fold as fold_of_words
from projections.words.material import material, referenced
from tests.handmade import HandmadeLog, owns, published
from tests.properties.histories import Published, history


class Texts:
    """A text for every hash, that of the first chapters long enough for several passages."""

    def texts(self, hashes: Sequence[str]) -> Mapping[str, str]:
        return {digest: f"Things changed hands {digest} " * (1 + int(digest[-1], 16) * 20) for digest in hashes}


class Words:
    """Passages and record texts, without vectors."""

    name = "words"
    version = 1

    def create(self, conn: Conn) -> None:
        conn.execute(fold_of_words.schema().encode())

    def apply(self, conn: Conn, batch: Sequence[Recorded]) -> None:
        elsewhere = fold_of_words.text_hashes(conn, referenced(batch))
        fold_of_words.write(conn, batch, material(batch, Texts(), elsewhere), None)


PROJECTIONS: tuple[Projection, ...] = (StoryState(), Entities(), Timeline(), Words())
WAYS = ("singly", "together", "parted", "plain")
_numbers = itertools.count(1)


@pytest.fixture
def conn(postgres_dsn: str) -> Iterator[Conn]:
    """A connection to a database with a schema for each read model and way of applying."""
    Ledger.migrate(postgres_dsn)
    with psycopg.connect(postgres_dsn, autocommit=True) as conn:
        for projection in PROJECTIONS:
            for way in WAYS:
                schema = f"{projection.name}_{way}"
                conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
                conn.execute("SELECT set_config('search_path', %s || ', public', false)", (schema,))
                projection.create(conn)
        yield conn


@pytest.fixture
def ledger(conn: Conn, postgres_dsn: str) -> Iterator[Ledger]:
    with Ledger(postgres_dsn) as ledger:
        yield ledger


def apply(conn: Conn, projection: Projection, way: str, batches: Sequence[Sequence[Recorded]]) -> None:
    conn.execute("SELECT set_config('search_path', %s || ', public', false)", (f"{projection.name}_{way}",))
    for batch in batches:
        with conn.transaction():
            projection.apply(conn, batch)


def as_stored(ledger: Ledger, batches: Sequence[Sequence[Recorded]]) -> list[LogBatch]:
    """The same batches, read from the log as it is stored."""
    log = StoredLog(ledger.pool.connection)
    found = [LogBatch(log.after(batch[0].position - 1, len(batch))) for batch in batches]
    assert [batch.events for batch in found] == [list(batch) for batch in batches]
    return found


def follow(conn: Conn, projection: Projection, way: str, batches: Sequence[LogBatch]) -> None:
    conn.execute("SELECT set_config('search_path', %s || ', public', false)", (f"{projection.name}_{way}",))
    for batch in batches:
        with conn.transaction():
            take_in(conn, projection, batch)


def contents(conn: Conn, projection: Projection, way: str, stories: Sequence[str]) -> dict[str, list[str]]:
    """The rows of the stories, without the numbers that only tell them apart, in a fixed order."""
    schema = f"{projection.name}_{way}"
    tables = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", (schema,)).fetchall()
    query = "SELECT to_jsonb(t) - 'id' FROM {}.{} t WHERE story = ANY(%s)"
    return {
        table: sorted(
            str(row[0])
            for row in conn.execute(
                sql.SQL(query).format(sql.Identifier(schema), sql.Identifier(table)), (list(stories),)
            )
        )
        for (table,) in tables
    }


def requested(story: str, told: Published) -> PublicationRequest:
    if told.decision is not None:
        return PublicationRequest(
            story=story, chapter=0, action="merge" if "merge" in told.decision else "split", decision=told.decision
        )
    if told.records is None:
        return PublicationRequest(story=story, chapter=told.chapter, action="retract")
    text = f"It was the {told.sequence}. publication in which things changed hands."
    grounded = [{**record, "evidence": [{"quote": "things changed hands"}]} for record in told.records]
    records = validate(grounded, chapter=told.chapter)
    return PublicationRequest(story=story, chapter=told.chapter, action="publish", text=text, records=records)


def recorded(ledger: Ledger, histories: dict[str, list[Published]], late: Sequence[bool]) -> list[Recorded]:
    """The log of the stories, told by turns; where `late` says so, a publication is overtaken by the next of its story."""
    first = ledger.last_position()
    orders: list[list[Publication]] = []
    for story, told in histories.items():
        registered = [ledger.register(requested(story, one)) for one in told]
        order = [found.publication for found in registered if not found.unchanged]
        for place in range(len(order) - 1):
            if late[place % len(late)]:
                order[place], order[place + 1] = order[place + 1], order[place]
        orders.append(order)
    for publication in (one for turn in itertools.zip_longest(*orders) for one in turn if one is not None):
        ledger.append(publication, publication.records, "sidecar")
    return ledger.events_after(first, 100_000)


def parted(log: Sequence[Recorded], cuts: set[int]) -> list[list[Recorded]]:
    """The log in batches of whole publications, parted before the publications whose numbers are given."""
    batches: list[list[Recorded]] = [[]]
    for number, publication in enumerate(publications(log)):
        if number in cuts and batches[-1]:
            batches.append([])
        batches[-1].extend(publication.events)
    return batches


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=history(most=8),
    second=history(most=4),
    late=st.lists(st.booleans(), min_size=1, max_size=4),
    cuts=st.sets(st.integers(1, 10), max_size=3),
)
def test_batches_of_any_size_leave_the_rows_that_single_publications_leave(
    conn: Conn, ledger: Ledger, first: list[Published], second: list[Published], late: list[bool], cuts: set[int]
) -> None:
    number = next(_numbers)
    histories = {f"first-{number}": first, f"second-{number}": second}
    log = recorded(ledger, histories, late)
    for projection in PROJECTIONS:
        apply(conn, projection, "singly", [p.events for p in publications(log)])
        apply(conn, projection, "together", [log] if log else [])
        apply(conn, projection, "parted", parted(log, cuts) if log else [])
        follow(conn, projection, "plain", as_stored(ledger, parted(log, cuts) if log else []))
        singly = contents(conn, projection, "singly", list(histories))
        for way in ("together", "parted", "plain"):
            assert contents(conn, projection, way, list(histories)) == singly


@st.composite
def handmade(draw: st.DrawFn) -> HandmadeLog:
    """Revisions of few chapters that say few keys, in any order, with records that come down and up again downstream."""
    log = HandmadeLog()
    held: dict[str, tuple[int, str | None, bool]] = {}
    """By uid: the chapter, the owner that is asserted, and whether the record is live."""
    for number in range(draw(st.integers(3, 12))):
        chapter = draw(st.integers(1, 5))
        makers = [published(chapter, revision=number + 1)]
        for uid in (f"{chapter}a", f"{chapter}b"):
            owner = draw(st.sampled_from(("mara", "tomas", None)))
            record = owns(uid, chapter, owner, revision=number + 1, start=draw(st.integers(0, 9)))
            what = draw(st.sampled_from(("say", "say", "withdraw", "leave")))
            if what == "say":
                makers.append(record.carried if uid in held else record.asserted)
                held[uid] = (chapter, owner, held[uid][2] if uid in held else True)
            elif what == "withdraw" and uid in held and held[uid][2]:
                makers.append(record.invalidated)
                held[uid] = (chapter, held[uid][1], False)
        for uid, (place, owner, live) in list(held.items()):
            if place > chapter and draw(st.integers(0, 3)) == 0:
                record = owns(uid, place, owner)
                makers.append(record.invalidated if live else record.reinstated)
                held[uid] = (place, owner, not live)
        log.publish(f"told-{next(_numbers)}" if number == 0 else log.events[-1].event.story, *makers)
    return log


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=handmade(), cuts=st.sets(st.integers(1, 11), max_size=3))
def test_intervals_are_the_fold_of_what_live_records_say_in_batches_of_any_size(
    conn: Conn, log: HandmadeLog, cuts: set[int]
) -> None:
    story = log.events[0].event.story
    for projection in (StoryState(), Words()):
        apply(conn, projection, "singly", [p.events for p in publications(log.events)])
        apply(conn, projection, "together", [log.events])
        apply(conn, projection, "parted", parted(log.events, cuts))
        singly = contents(conn, projection, "singly", [story])
        assert contents(conn, projection, "together", [story]) == singly
        assert contents(conn, projection, "parted", [story]) == singly
    assert holding(conn, "parted", story) == folded(conn, "parted", story)


def holding(conn: Conn, way: str, story: str) -> list[tuple[Any, ...]]:
    query = "SELECT node_key, value_key, lower(valid), upper(valid) FROM {} WHERE story = %s AND upper_inf(recorded)"
    table = sql.Identifier(f"story_state_{way}", "intervals")
    return sorted(conn.execute(sql.SQL(query).format(table), (story,)).fetchall(), key=str)


def folded(conn: Conn, way: str, story: str) -> list[tuple[Any, ...]]:
    query = "SELECT node_key, value_key, chapter, scene, start, ordinal, uid FROM {} WHERE story = %s AND upper_inf(recorded)"
    table = sql.Identifier(f"story_state_{way}", "assertions")
    said = [
        Assertion((chapter, scene, start, ordinal, uid), key, value, uid)
        for key, value, chapter, scene, start, ordinal, uid in conn.execute(sql.SQL(query).format(table), (story,))
    ]
    return sorted(((i.key, i.value, i.valid_from, i.valid_to) for i in fold(said)), key=str)


def test_what_came_and_went_within_a_batch_is_kept_with_the_positions_in_which_it_was_believed(conn: Conn) -> None:
    log = HandmadeLog()
    begun = log.publish("s", published(1), owns("a", 1, "mara").asserted)
    ended = log.publish("s", published(1, revision=2), owns("a", 1, "mara").invalidated)
    apply(conn, StoryState(), "together", [log.events])
    for table in ("intervals", "assertions", "chapters"):
        query = sql.SQL("SELECT lower(recorded), upper(recorded) FROM story_state_together.{} ORDER BY 1 LIMIT 1")
        assert conn.execute(query.format(sql.Identifier(table))).fetchall() == [(begun, ended)]


def test_a_batch_takes_as_many_statements_however_many_publications_it_has(
    conn: Conn, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for way, chapters in (("singly", 2), ("together", 40)):
        log = HandmadeLog()
        for chapter in range(1, chapters + 1):
            log.publish("s", published(chapter), owns(f"a{chapter}", chapter, "mara").asserted)
        conn.execute("SELECT set_config('search_path', %s || ', public', false)", (f"story_state_{way}",))
        sent = 0
        execute, cursor = conn.execute, conn.cursor

        def counting(*args: Any, _send: Any = execute, **kwargs: Any) -> Any:
            nonlocal sent
            sent += 1
            return _send(*args, **kwargs)

        def copying(*args: Any, _make: Any = cursor, **kwargs: Any) -> Any:
            nonlocal sent
            sent += 1
            return _make(*args, **kwargs)

        with monkeypatch.context() as patched:
            patched.setattr(conn, "execute", counting)
            patched.setattr(conn, "cursor", copying)
            StoryState().apply(conn, log.events)
        counts.append(sent)
    assert counts[0] == counts[1]
