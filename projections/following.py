"""Following the log in batches: what a batch concerns is read in one query a table, folded in memory, and written at once.

What is left is what its publications, taken one after another, would have left: each version of each row, with the range of
positions in which it was believed, also of one that came and went within the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from projections.facets import Facet
from projections.log_batch import LogBatch
from projections.projection import Conn, Projection
from projections.record_fold import RecordFold
from projections.record_versions import heads
from projections.record_view import RecordView, known_before
from projections.stored_publications import StoredPublication
from projections.tables import Tables


@runtime_checkable
class PublicationProjection(Protocol):
    """A read model that takes whole publications with what is asserted in them as plain data: `apply`, only quicker."""

    def follow(self, conn: Conn, batch: Sequence[StoredPublication]) -> None: ...


def take_in(conn: Conn, projection: Projection, batch: LogBatch) -> None:
    """Bring a read model up to date by a batch, in the way in which it is quickest."""
    if isinstance(projection, PublicationProjection):
        projection.follow(conn, batch.publications)
    elif batch.events:
        projection.apply(conn, batch.events)


@dataclass(slots=True)
class StoryBatch:
    """What a batch has of one story: its publications in order, and the records they name as they were before, by uid."""

    story: str
    publications: list[StoredPublication] = field(default_factory=list)
    heads: dict[str, RecordView] = field(default_factory=dict)


@contextmanager
def following(conn: Conn) -> Iterator[Tables]:
    """The tables of the connection's schema; what was appended to them is written on leaving."""
    tables = Tables(conn, stored=True)
    yield tables
    tables.flush()


def story_batches(conn: Conn, batch: Sequence[StoredPublication]) -> list[StoryBatch]:
    """The batch by stories. What is asserted within it is in no table yet: a record is asserted once."""
    found: dict[str, StoryBatch] = {}
    for publication in batch:
        found.setdefault(publication.story, StoryBatch(publication.story)).publications.append(publication)
    named = [
        (one.story, uid) for one in found.values() for publication in one.publications
        for uid in known_before(publication.events)
    ]  # fmt: skip
    for (story, uid), view in heads(conn, list(dict.fromkeys(named))).items():
        found[story].heads[uid] = view
    return list(found.values())


def follow_records(conn: Conn, facets: Sequence[Facet], batch: Sequence[StoredPublication]) -> None:
    """Bring tables that are made of records alone up to date."""
    with following(conn) as tables:
        for one in story_batches(conn, batch):
            fold = RecordFold(one.story, facets, tables, one.heads)
            for publication in one.publications:
                fold.take(publication.events, publication.last_position, publication.asserted)
            fold.finish()
