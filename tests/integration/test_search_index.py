"""The lexical index in a real Elasticsearch: versions, beliefs, candidates, and doing without it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from elasticsearch import Elasticsearch
from psycopg_pool import ConnectionPool

from projections import progress, versions
from projections.embedding import HashEmbedder
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import Pool, VectorCache
from projections.runner import Retries, Runner
from projections.search.analysis import terms
from projections.search.bulk import Backoff
from projections.search.errors import ElasticsearchUnavailable, IndexBehind
from projections.search.index import ElasticsearchIndices
from projections.search.projection import SearchProjection
from projections.search.read import ElasticsearchCandidates
from services.retrieval.candidates import IndexCandidates
from services.retrieval.retriever import Retriever
from tests.integration.test_packets_postgres import ToldLog, go_on, publish
from tests.storytelling import Telling

NOWHERE = "http://127.0.0.1:9"
QUESTION = "Who found the letter, and who has the knife?"


class Indexed:
    """A story followed into PostgreSQL and Elasticsearch."""

    def __init__(self, pool: Pool, url: str, prefix: str, telling: Telling) -> None:
        self.pool, self.telling = pool, telling
        self.client = Elasticsearch(url)
        self.indices = ElasticsearchIndices(url, prefix)
        self.projection = SearchProjection(telling, self.indices, backoff=Backoff(attempts=2, first=0.01))
        embedder = HashEmbedder()
        self.candidates = ElasticsearchCandidates(self.indices, pool)
        self.with_index = Retriever(pool, embedder, candidates=IndexCandidates(self.candidates))
        self.without = Retriever(pool, embedder)
        passages = PassagesProjection(telling, VectorCache(pool, embedder))
        retries = Retries(backoff=(0.01,), stalled=0.01)
        self._runner = Runner(ToldLog(telling), pool, [passages, self.projection], retries=retries)

    def catch_up(self) -> None:
        self._runner.catch_up()

    def documents(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Every document with its version."""
        reply = self.client.search(index=self.indices.alias, size=10_000, version=True)
        return {hit["_id"]: (hit["_version"], hit["_source"]) for hit in reply["hits"]["hits"]}

    def found(self, question: str, at: int, position: int | None = None) -> set[tuple[int, int]] | None:
        position = self.telling.position if position is None else position
        return self.candidates.find(self.telling.story, at, position, terms(question))


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[Pool]:
    with ConnectionPool[psycopg.Connection[Any]](postgres_dsn, min_size=1, max_size=4) as pool:
        yield pool


@pytest.fixture
def indexed(pool: Pool, elasticsearch_server: str) -> Iterator[Indexed]:
    telling = Telling()
    publish(telling, 1, "brass key", "Mara")
    publish(telling, 2, "letter", "Tomas")
    indexed = Indexed(pool, elasticsearch_server, f"test-{secrets.token_hex(4)}", telling)
    indexed.catch_up()
    yield indexed
    for index in indexed.client.indices.get(index=f"{indexed.indices.prefix}-*").body:
        indexed.client.indices.delete(index=index)
    indexed.client.close()
    indexed.indices.close()


def test_a_passage_is_found_by_its_words_up_to_the_checkpoint_only(indexed: Indexed) -> None:
    assert indexed.found("letters", at=2) == {(2, 0)}
    assert indexed.found("letters", at=1) == set()


def test_an_edit_is_found_now_and_the_old_text_as_it_was_recorded(indexed: Indexed) -> None:
    then = indexed.telling.position
    publish(indexed.telling, 2, "lantern", "Tomas")
    indexed.catch_up()
    assert indexed.found("letter", at=2) == set()
    assert indexed.found("letter", at=2, position=then) == {(2, 0)}


def test_the_version_of_a_document_is_the_position_that_last_changed_it(indexed: Indexed) -> None:
    publish(indexed.telling, 2, "lantern", "Tomas")
    indexed.catch_up()
    for version, source in indexed.documents().values():
        closed = source["recorded_to"] < 2**63 - 1
        assert version == (source["recorded_to"] if closed else source["recorded_from"])


def test_applying_the_log_again_changes_no_document(indexed: Indexed, pool: Pool) -> None:
    publish(indexed.telling, 2, "lantern", "Tomas")
    indexed.catch_up()
    before = indexed.documents()
    with pool.connection() as conn:
        schema = versions.live_schema(conn, "search")
        progress.use_schema(conn, schema)
        for table in ("chapters", "passages", "records", "links", "touches"):
            conn.execute(f"DELETE FROM {table}".encode())
        indexed.projection.apply(conn, indexed.telling.log)
    assert indexed.documents() == before


def test_a_purge_erases_the_words_that_are_gone_and_nothing_else(indexed: Indexed, pool: Pool) -> None:
    publish(indexed.telling, 2, "lantern", "Tomas")
    indexed.catch_up()
    kept = {key: found for key, found in indexed.documents().items() if found[1]["recorded_to"] == 2**63 - 1}
    with pool.connection() as conn:
        progress.use_schema(conn, versions.live_schema(conn, "search"))
        assert indexed.projection.purge(conn, "lantern", 2) > 0
    assert indexed.documents() == kept


def test_a_rebuilt_version_has_an_index_of_its_own_and_takes_over_the_alias(indexed: Indexed, pool: Pool) -> None:
    before = indexed.documents()
    schema = versions.rebuild(pool, ToldLog(indexed.telling), indexed.projection)
    publish(indexed.telling, 3, "knife", "Odran")
    indexed.catch_up()
    holders = list(indexed.client.indices.get_alias(name=indexed.indices.alias).body)
    assert holders == [indexed.indices.name(schema)]
    after = indexed.documents()
    assert {key: after[key] for key in before} == before
    assert indexed.found("knife", at=3) == {(3, 0)}


@pytest.mark.parametrize("method", ["bm25", "hybrid", "nwm"])
def test_a_packet_has_the_same_items_with_the_index_and_without(indexed: Indexed, method: str) -> None:
    go_on(indexed.telling)
    indexed.catch_up()
    for at in (1, 2, 4):
        one = indexed.with_index.packet("lantern", QUESTION, at=at, method=method)
        other = indexed.without.packet("lantern", QUESTION, at=at, method=method)
        assert one["items"] == other["items"]
        assert {"step": "candidates", "from": "elasticsearch"} in one["trace"]


def test_a_packet_is_the_same_with_the_index_before_and_after_the_story_goes_on(indexed: Indexed) -> None:
    before = indexed.with_index.packet("lantern", QUESTION, at=2, method="bm25")
    go_on(indexed.telling)
    indexed.catch_up()
    assert indexed.with_index.packet("lantern", QUESTION, at=2, method="bm25") == before


@pytest.mark.parametrize(
    "question", ['text:* OR (a AND "b"~2) && !x /re.*/', '{"query": {}}', "<b>&amp;</b>", "' OR 1=1 --"]
)
def test_query_syntax_in_a_question_is_only_words(indexed: Indexed, question: str) -> None:
    one = indexed.with_index.packet("lantern", question, method="bm25")
    assert one["items"] == indexed.without.packet("lantern", question, method="bm25")["items"]


def test_an_index_that_has_not_read_far_enough_is_not_asked(indexed: Indexed) -> None:
    with pytest.raises(IndexBehind):
        indexed.found("letter", at=2, position=indexed.telling.position + 1)


def test_a_field_that_nobody_planned_is_refused(indexed: Indexed) -> None:
    index = next(iter(indexed.client.indices.get_alias(name=indexed.indices.alias).body))
    reply = indexed.client.bulk(index=index, operations=[{"index": {"_id": "x"}}, {"surprise": 1}])
    assert reply["items"][0]["index"]["status"] == 400


def test_an_index_deleted_behind_our_back_stalls_the_read_model_and_is_not_made_up(
    indexed: Indexed, pool: Pool
) -> None:
    index = next(iter(indexed.client.indices.get_alias(name=indexed.indices.alias).body))
    indexed.client.indices.delete(index=index)
    publish(indexed.telling, 3, "knife", "Odran")
    indexed.catch_up()
    with pool.connection() as conn:
        row = progress.live(conn, ["search"])["search"]
    assert row.stalled_at is not None
    assert "Rebuild the read model" in str(row.error)
    assert not indexed.client.indices.exists(index=index)
    versions.rebuild(pool, ToldLog(indexed.telling), indexed.projection)
    assert indexed.found("knife", at=3) == {(3, 0)}


def test_without_a_server_the_read_model_stalls_with_what_to_do_and_the_passages_go_on(pool: Pool) -> None:
    telling = Telling()
    publish(telling, 1, "brass key", "Mara")
    indexed = Indexed(pool, NOWHERE, "nowhere", telling)
    indexed.catch_up()
    with pool.connection() as conn:
        found = progress.live(conn, ["search", "passages_hash"])
    assert found["passages_hash"].position == telling.position
    assert found["search"].position == 0
    assert "FABULA_ELASTICSEARCH" in str(found["search"].error)


def test_without_a_server_a_packet_comes_from_the_slice_and_says_so(pool: Pool) -> None:
    telling = Telling()
    publish(telling, 1, "brass key", "Mara")
    indexed = Indexed(pool, NOWHERE, "nowhere", telling)
    indexed.catch_up()
    one, other = (r.packet("lantern", QUESTION, method="bm25") for r in (indexed.with_index, indexed.without))
    assert one["items"] == other["items"]
    assert [step["because"] for step in one["trace"] if step["step"] == "candidates"] == [
        "elasticsearch: The lexical index has not caught up"
    ]


def test_a_server_that_does_not_answer_is_left_alone_for_a_while(indexed: Indexed, pool: Pool) -> None:
    lost = ElasticsearchIndices(NOWHERE, indexed.indices.prefix)
    candidates = ElasticsearchCandidates(lost, pool)
    for why in ("no connection", "a moment ago"):
        with pytest.raises(ElasticsearchUnavailable, match=why):
            candidates.find("lantern", 2, indexed.telling.position, ["letter"])
