"""The read model of passages and record texts in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import Connection, sql
from psycopg_pool import ConnectionPool

from events.domain_events import Recorded
from projections.embedding import HashEmbedder, Vectors
from projections.passages import read
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import Pool, VectorCache
from tests.storytelling import BEGINNING, Telling, owns, told

SCHEMA = "passages_test"


class CountingEmbedder(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return super().embed(texts)


class Model:
    """A read model in a schema of its own, driven batch by batch."""

    def __init__(self, pool: Pool, telling: Telling, embedder: HashEmbedder, schema: str = SCHEMA) -> None:
        self.pool, self.schema = pool, schema
        self.projection = PassagesProjection(telling, VectorCache(pool, embedder))
        with self._connection() as conn:
            conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
            self._enter(conn)
            self.projection.create(conn)

    def apply(self, batch: Sequence[Recorded], *, prepare: bool = True) -> None:
        if prepare:
            self.projection.prepare(batch)
        with self._connection() as conn:
            self._enter(conn)
            self.projection.apply(conn, batch)

    def passages(self, chapter: int, position: int, story: str = "lantern") -> list[str]:
        with self._connection() as conn:
            return [row.text for row in read.passages(conn, self.schema, story, chapter, position)[0]]

    def records(self, chapter: int, position: int) -> dict[str, str]:
        with self._connection() as conn:
            return {row.name: row.text for row in read.records(conn, self.schema, "lantern", chapter, position)[0]}

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._connection() as conn:
            self._enter(conn)
            return list(conn.execute(query).fetchall())

    def _connection(self) -> Any:
        return self.pool.connection()

    def _enter(self, conn: Connection[Any]) -> None:
        conn.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(self.schema)))


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[Pool]:
    with ConnectionPool[psycopg.Connection[Any]](postgres_dsn, min_size=1, max_size=4) as pool:
        yield pool


@pytest.fixture
def telling() -> Telling:
    return Telling()


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def model(pool: Pool, telling: Telling, embedder: CountingEmbedder) -> Model:
    return Model(pool, telling, embedder)


def test_an_edit_shows_the_new_text_now_and_the_old_one_as_it_was_recorded(model: Model, telling: Telling) -> None:
    model.apply(telling.publish(1, "The lamp is brass."))
    before = telling.position
    model.apply(telling.publish(1, "The lamp is tin."))
    assert model.passages(1, telling.position) == ["The lamp is tin."]
    assert model.passages(1, before) == ["The lamp is brass."]


def test_a_word_that_was_retracted_is_in_no_row_of_the_present_belief(model: Model, telling: Telling) -> None:
    model.apply(
        telling.publish(7, "A florblesnatch.", [told("e1", "event", "A florblesnatch", summary="florblesnatch")])
    )
    model.apply(telling.retract(7))
    for table in ("passages", "records"):
        assert model.rows(f"SELECT 1 FROM {table} WHERE upper_inf(recorded) AND text LIKE '%florblesnatch%'") == []
    assert model.records(7, telling.position) == {}


def test_a_purge_erases_the_superseded_words_and_their_vectors(model: Model, telling: Telling, pool: Pool) -> None:
    model.apply(
        telling.publish(7, "A florblesnatch.", [told("e1", "event", "A florblesnatch", summary="florblesnatch")])
    )
    model.apply(telling.publish(8, "Rain."))
    model.apply(telling.retract(7))
    with pool.connection() as conn:
        model._enter(conn)
        assert model.projection.purge(conn, "lantern", 7) == 2
    assert (
        model.rows("SELECT 1 FROM passages WHERE chapter = 7 UNION ALL SELECT 1 FROM records WHERE chapter = 7") == []
    )
    assert model.rows("SELECT count(*) FROM embeddings.vectors") == [(1,)]


def test_a_record_reads_as_a_sentence_with_its_evidence(model: Model, telling: Telling) -> None:
    text = "It snowed. The brass key lay warm in Mara's palm."
    model.apply(telling.publish(1, text, [owns("o1", "brass key", "Mara", "The brass key lay warm")]))
    assert model.records(1, telling.position) == {"1:o1": 'brass key: owner Mara. "The brass key lay warm"'}


def test_a_withdrawn_record_is_gone_and_comes_back_when_reinstated(model: Model, telling: Telling) -> None:
    model.apply(telling.publish(1, "The key is Mara's.", [owns("o1", "key", "Mara", "key")]))
    model.apply(telling.withdraw(1, "o1"))
    withdrawn = telling.position
    model.apply(telling.reinstate(1, "o1"))
    assert model.records(1, withdrawn) == {}
    assert list(model.records(1, telling.position)) == ["1:o1"]


def test_a_record_carried_while_it_is_withdrawn_comes_back_as_it_was_carried(model: Model, telling: Telling) -> None:
    model.apply(telling.publish(1, "The key is Mara's.", [owns("o1", "key", "Mara", "key")]))
    model.apply(telling.withdraw(1, "o1"))
    model.apply(telling.publish(1, "Now the old key is Mara's.", [owns("o1", "key", "Mara", "old key")]))
    assert model.records(1, telling.position) == {}
    model.apply(telling.reinstate(1, "o1"))
    assert model.records(1, telling.position) == {"1:o1": 'key: owner Mara. "old key"'}


def test_a_text_that_did_not_change_is_embedded_once(
    model: Model, telling: Telling, embedder: CountingEmbedder
) -> None:
    record = owns("o1", "key", "Mara", "key")
    model.apply(telling.publish(1, "The key is Mara's.", [record]))
    model.apply(telling.publish(2, "Rain."))
    model.apply(telling.publish(1, "The key is Mara's.", [record]))
    assert sorted(embedder.embedded) == ["Rain.", "The key is Mara's.", 'key: owner Mara. "key"']


def test_a_rebuild_calls_no_model_and_gives_the_same_rows(model: Model, telling: Telling, pool: Pool) -> None:
    model.apply(telling.publish(1, "The key is Mara's.", [owns("o1", "key", "Mara", "key")]))
    model.apply(telling.publish(1, "The key is Tom's.", [owns("o1", "key", "Tom", "key")]))
    again = CountingEmbedder()
    rebuilt = Model(pool, telling, again, "passages_rebuilt")
    rebuilt.apply(telling.log)
    assert again.embedded == []
    for table in ("chapters", "passages", "records", "touches"):
        query = f"SELECT t::text FROM {table} t ORDER BY 1"
        assert rebuilt.rows(query) == model.rows(query) != []


def test_a_batch_that_breaks_off_inside_a_publication_finds_the_text_of_the_chapter_again(
    model: Model, telling: Telling
) -> None:
    log = telling.publish(1, "The key is Mara's.", [owns("o1", "key", "Mara", "key")])
    model.apply(log[:1])
    model.apply(log[1:], prepare=False)
    assert list(model.records(1, telling.position)) == ["1:o1"]


def test_stories_do_not_see_each_other(model: Model, telling: Telling, pool: Pool) -> None:
    other = Telling("harbour", first_position=100)
    model.apply(telling.publish(1, "Lantern."))
    theirs = other.publish(1, "Harbour.")
    telling._texts |= other._texts
    model.apply(theirs)
    assert model.passages(1, 1000) == ["Lantern."]
    assert model.passages(1, 1000, "harbour") == ["Harbour."]


def test_an_erased_text_leaves_no_passages_and_records_without_their_quotes(model: Model, telling: Telling) -> None:
    log = telling.publish(3, "The key is Mara's.", [owns("o1", "key", "Mara", "key")])
    telling._texts.clear()
    model.apply(log)
    assert model.passages(3, telling.position) == []
    assert model.records(3, telling.position) == {"3:o1": "key: owner Mara."}


def test_the_nearest_passages_are_exactly_those_of_a_full_scan(model: Model, telling: Telling, pool: Pool) -> None:
    for chapter in range(1, 41):
        model.apply(telling.publish(chapter, f"Chapter {chapter} tells of lamp {chapter % 7} and key {chapter % 5}."))
    query = HashEmbedder().embed(["lamp 3 and key 2"])[0]
    with pool.connection() as conn:
        found = read.nearest(conn, SCHEMA, "lantern", 12, telling.position, query, 10)
        _, vectors = read.passages(conn, SCHEMA, "lantern", 12, telling.position)
    cosines = vectors @ query
    assert len(found) == 10
    assert max(chapter for chapter, *_ in found) <= 12
    assert [round(f[3], 5) for f in found] == [round(float(c), 5) for c in np.sort(cosines)[::-1][:10]]


def test_a_position_inside_a_publication_means_the_one_before_it(model: Model, telling: Telling, pool: Pool) -> None:
    model.apply(telling.publish(1, "One."))
    first = telling.position
    model.apply(telling.publish(2, "The key.", [owns("o1", "key", "Mara", "key")]))
    with pool.connection() as conn:
        assert read.believed(conn, SCHEMA, "lantern", position=first + 1) == first
        assert read.believed(conn, SCHEMA, "lantern") == telling.position
        assert read.believed(conn, SCHEMA, "lantern", moment=BEGINNING + timedelta(minutes=90)) == first
        assert read.believed(conn, SCHEMA, "lantern", moment=BEGINNING) is None


def test_a_later_chapter_does_not_move_the_position_of_an_earlier_checkpoint(
    model: Model, telling: Telling, pool: Pool
) -> None:
    model.apply(telling.publish(1, "One."))
    first = telling.position
    model.apply(telling.publish(2, "Two."))
    model.apply(telling.checkpoint("cliffhanger", 1))
    with pool.connection() as conn:
        assert read.concerns(conn, SCHEMA, "lantern", 1, telling.position) == first
        assert read.checkpoint(conn, SCHEMA, "lantern", "cliffhanger", telling.position) == 1
        assert read.last_chapter(conn, SCHEMA, "lantern", telling.position) == 2


def test_an_unlinked_pair_is_linked_as_it_was_recorded_only(model: Model, telling: Telling, pool: Pool) -> None:
    model.apply(telling.link("guise", "Odran", 5))
    linked = telling.position
    model.apply(telling.link("guise", "Odran", 5, undo=True))
    with pool.connection() as conn:
        assert [(row.a, row.b) for row in read.links(conn, SCHEMA, "lantern", 9, linked)] == [
            ("person/guise", "person/odran")
        ]
        assert read.links(conn, SCHEMA, "lantern", 4, linked) == []
        assert read.links(conn, SCHEMA, "lantern", 9, telling.position) == []
