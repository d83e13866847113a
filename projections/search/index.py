"""The indices in Elasticsearch: one a version of the read model, with an alias for whoever looks from outside."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from elastic_transport import ConnectionError as NoConnection
from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from projections.search.bulk import Reply, TooManyRequests
from projections.search.documents import MAPPINGS, SETTINGS
from projections.search.errors import ElasticsearchUnavailable

MAX_CANDIDATES: Final = 2_000
"""With more candidates than this, looking at every passage of the slice costs no more."""
_FIND_SECONDS: Final = 2.0


class ElasticsearchIndices:
    """The indices whose names begin with `prefix`. Every method raises `ElasticsearchUnavailable` when the server does not answer."""

    def __init__(self, url: str, prefix: str = "fabula", *, timeout: float = 30.0) -> None:
        self.prefix = prefix
        # retries are ours: a bulk request that was sent twice unseen would hide what became of it
        self._client = Elasticsearch(url, request_timeout=timeout, max_retries=0, retry_on_timeout=False)

    def close(self) -> None:
        self._client.close()

    def name(self, schema: str) -> str:
        """The index that belongs to a PostgreSQL schema of the read model."""
        return f"{self.prefix}-{schema}".lower()

    @property
    def alias(self) -> str:
        return f"{self.prefix}-search"

    def create(self, index: str) -> None:
        """Creates the index empty; what an abandoned version left under its name is dropped."""
        with _answering("creating an index"):
            self._client.options(ignore_status=404).indices.delete(index=index)
            self._client.indices.create(index=index, mappings=MAPPINGS, settings=SETTINGS)

    def exists(self, index: str) -> bool:
        with _answering("looking for an index"):
            return bool(self._client.indices.exists(index=index))

    def bulk(self, index: str, lines: bytes) -> Reply:
        with _answering("indexing"):
            try:
                operations: Any = lines.split(b"\n")[:-1]  # the client takes serialized lines as they are
                reply = self._client.bulk(index=index, operations=operations)
            except ApiError as error:
                if error.meta.status == 429:
                    raise TooManyRequests from error
                raise
        return dict(reply.body)

    def refresh(self, index: str) -> None:
        """Makes what was written visible to searches."""
        with _answering("refreshing an index"):
            self._client.indices.refresh(index=index)

    def point_alias(self, index: str, known: Collection[str]) -> None:
        """Lets the alias mean this index alone, and drops indices that are not `known`."""
        with _answering("moving the alias"):
            existing = list(self._client.indices.get(index=f"{self.prefix}-*", expand_wildcards="open").body)
            actions: list[dict[str, Any]] = [
                {"remove": {"index": other, "alias": self.alias, "must_exist": False}}
                for other in existing
                if other != index
            ]
            self._client.indices.update_aliases(actions=[*actions, {"add": {"index": index, "alias": self.alias}}])
            for other in existing:
                if other not in known and other != index:
                    self._client.options(ignore_status=404).indices.delete(index=other)

    def find(self, index: str, story: str, at: int, position: int, terms: list[str]) -> set[tuple[int, int]] | None:
        """(chapter, start) of the passages up to chapter `at`, as believed at `position`, that have a term; None for too many."""
        query = {
            "bool": {
                "filter": [
                    {"term": {"story": story}},
                    {"term": {"of": "passage"}},
                    {"range": {"chapter": {"lte": at}}},
                    {"range": {"recorded_from": {"lte": position}}},
                    {"range": {"recorded_to": {"gt": position}}},
                    {"terms": {"terms": sorted(set(terms))}},
                ]
            }
        }
        with _answering("searching"):
            reply = self._client.options(request_timeout=_FIND_SECONDS).search(
                index=index,
                query=query,
                size=MAX_CANDIDATES + 1,
                source=False,
                docvalue_fields=[{"field": "chapter"}, {"field": "start"}],
                sort=[{"_doc": {"order": "asc"}}],
                track_total_hits=False,
            )
        if reply["timed_out"] or reply["_shards"]["failed"]:
            raise ElasticsearchUnavailable("searching", "only a part of the index answered")
        hits = reply["hits"]["hits"]
        if len(hits) > MAX_CANDIDATES:
            return None
        return {(hit["fields"]["chapter"][0], hit["fields"]["start"][0]) for hit in hits}


@contextmanager
def _answering(doing: str) -> Iterator[None]:
    try:
        yield
    except NotFoundError as error:
        raise ElasticsearchUnavailable(doing, f"the index is not there: {error}") from error
    except ApiError as error:
        raise ElasticsearchUnavailable(doing, f"{error.meta.status}: {error}") from error
    except NoConnection as error:
        raise ElasticsearchUnavailable(doing, f"no connection: {error}") from error
    except TransportError as error:
        raise ElasticsearchUnavailable(doing, str(error)) from error
