"""The local Elasticsearch node: what the product uses of a full one works on it."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from services.local.elasticsearch import LocalElasticsearch

pytestmark = pytest.mark.services


@pytest.fixture
def client(elasticsearch_server: str) -> Iterator[Elasticsearch]:
    with Elasticsearch(elasticsearch_server) as connection:
        yield connection


@pytest.fixture
def index(client: Elasticsearch) -> Iterator[str]:
    name = f"test-{secrets.token_hex(4)}"
    client.indices.create(
        index=name,
        mappings={"properties": {"text": {"type": "text", "analyzer": "english"}, "story": {"type": "keyword"}}},
    )
    yield name
    client.indices.delete(index=name)


def test_the_official_client_is_told_who_answers(client: Elasticsearch) -> None:
    assert client.info()["version"]["number"].startswith("9.")


def test_the_english_analyzer_stems(client: Elasticsearch, index: str) -> None:
    client.index(index=index, document={"text": "She was reading the tides"}, refresh=True)
    found = client.search(index=index, query={"match": {"text": "tide reads"}}, highlight={"fields": {"text": {}}})
    assert found["hits"]["hits"][0]["highlight"]["text"] == ["She was <em>reading</em> the <em>tides</em>"]


def test_an_older_external_version_is_refused(client: Elasticsearch, index: str) -> None:
    client.index(index=index, id="1", document={"text": "new"}, version=7, version_type="external")
    refused = client.options(ignore_status=409).index(
        index=index, id="1", document={"text": "old"}, version=6, version_type="external"
    )
    assert refused.meta.status == 409
    assert client.get(index=index, id="1")["_source"]["text"] == "new"


def test_delete_by_query_deletes_what_the_query_finds_and_nothing_else(client: Elasticsearch, index: str) -> None:
    for number in range(5):
        client.index(index=index, document={"story": "a" if number < 3 else "b"})
    client.indices.refresh(index=index)
    reply = client.delete_by_query(index=index, query={"term": {"story": "a"}}, refresh=True, scroll_size=2)
    assert (reply["total"], reply["deleted"], client.count(index=index)["count"]) == (3, 3, 2)


def test_delete_by_query_stops_at_max_docs(client: Elasticsearch, index: str) -> None:
    for _ in range(4):
        client.index(index=index, document={"story": "a"})
    client.indices.refresh(index=index)
    client.delete_by_query(index=index, query={"match_all": {}}, max_docs=3, scroll_size=2, refresh=True)
    assert client.count(index=index)["count"] == 1


def test_documents_survive_the_nodes_kill(tmp_path: Path) -> None:
    node = LocalElasticsearch(tmp_path / "node")
    try:
        address = node.start()
        with Elasticsearch(address) as client:
            client.index(index="kept", id="1", document={"text": "chapter 1"})
            pid = node.status().pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            assert node.start() == address
            assert client.get(index="kept", id="1")["_source"] == {"text": "chapter 1"}
    finally:
        node.wipe()
